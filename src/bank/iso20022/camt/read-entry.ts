import { withoutUndefined } from '../../without-undefined.ts';
import type { BookedDebit } from '../../booked-debit.ts';
import { realReference } from '../placeholder.ts';
import { type Element, elementsAt, textAt } from '../xml/element.ts';
import type { Account } from './account.ts';
import { type CreditReferences, servicerReference } from './credit-references.ts';
import { decimalToMinorUnits, formatDecimal } from './decimal.ts';
import { type Entry, unbookedStatuses } from './entry.ts';
import { type IncomingMoney, moneyItem, type Problem } from './incoming-money.ts';
import { createDebitReader } from './booked-debits.ts';
import type { SkippedReason, StatementItem } from './statement-item.ts';
import { type AmountShare, type Direction, hasAmount, transactionAmounts } from './transaction-amounts.ts';

/** What an entry is read with. */
export interface EntryContext {
  /** The account of the statement. */
  account: Account;
  references: CreditReferences;
  /** The references of its debits, which are counted apart. */
  debitReferences: CreditReferences;
  /** Whether the entry is part of an intraday report. */
  isIntraday: boolean;
}

type DebitReader = ReturnType<typeof createDebitReader>;

/** The items of one entry: at least one, and one per transaction when it lists several. */
export function* readEntry(entry: Entry, context: EntryContext): Generator<StatementItem> {
  const { account, references } = context;
  const { element, source, amount, currency, bookedOn, isReversal, transactions } = entry;
  const debits = createDebitReader(entry, context.debitReferences);
  const skipped = skippedEntry(entry, debits, context.isIntraday);
  if (skipped !== undefined) return yield skipped;
  const reference = references.ofEntry(element);
  if (reference !== undefined) source.reference = reference;

  const asMoney = (money: Pick<IncomingMoney, 'transaction' | 'index' | 'count' | 'amount' | 'problem'>) =>
    moneyItem({ entry: element, currency, bookedOn, isReversal, ...money }, { account, references, source });
  // The transaction's facts are those of the entry when there is only one, even if its amount is in doubt.
  const onlyTransaction = transactions.length === 1 ? transactions[0] : undefined;
  const asWhole = (problem?: Problem) => asMoney({ transaction: onlyTransaction, index: 1, count: 1, amount, problem });

  const problem = entryProblem(entry);
  if (problem !== undefined || amount === undefined) return yield asWhole(problem);
  if (amount === 0n && transactions.length < 2) return yield skippedItem(entry, 'amount_zero', 'its amount is zero');
  if (transactions.length === 0) return yield asWhole(missingDetails(entry));
  const partial = onlyTransaction === undefined ? undefined : listedInPart(entry, onlyTransaction);
  // The transaction's facts are not those of the sum.
  if (partial !== undefined) return yield asMoney({ transaction: undefined, index: 1, count: 1, amount, problem: partial });
  const split = transactionAmounts(element, { amount, currency, direction: entry.direction as Direction }, transactions);
  if (split.ok && split.charges > 0n)
    yield withDebits(skippedItem({ ...entry, amount: split.charges }, 'debit', 'the bank charges it'), debits.ofCharges(split.charges));
  if (!split.ok) return yield amount === 0n ? skippedItem(entry, 'amount_zero', split.detail) : asWhole(split);
  for (const [position, share] of split.shares.entries()) {
    const transaction = transactions[position];
    yield (
      skippedShare({ entry, debits }, { share, transaction, index: position + 1 }) ??
        asMoney({ transaction, index: position + 1, count: transactions.length, amount: share.amount })
    );
  }
}

/** The item of an entry that holds no arriving money; `undefined` when it may hold some. */
function skippedEntry(entry: Entry, debits: DebitReader, isIntraday: boolean): StatementItem | undefined {
  const { status, direction, isReversal } = entry;
  // What an intraday report does not say to be booked, the statement of the day will.
  const isUnbooked = isIntraday ? status !== 'BOOK' : status !== undefined && unbookedStatuses.has(status);
  if (isUnbooked) return skippedItem(entry, 'not_booked', `its status is ${status ?? 'missing'}`);
  if (direction === 'DBIT' && (isReversal || !holdsCredits(entry))) {
    const item = isReversal
      ? skippedItem(entry, 'credit_reversed', 'the bank takes back an earlier credit')
      : skippedItem(entry, 'debit', 'it is a debit');
    const unreadable = debits.ofUnreadable();
    if (unreadable !== undefined) return { ...item, skipped: { ...item.skipped, unreadable } };
    if (status === 'BOOK') return withDebits(item, debits.ofEntry());
    const doubt = `whether it is booked is unknown: its status is ${status ?? 'missing'}`;
    return withDebits(
      item,
      debits.ofEntry().map((debit) => Object.assign(debit, { doubt })),
    );
  }
  if (!isIntraday || isReferenced(entry)) return undefined;
  return skippedItem(entry, 'unreferenced', 'the bank gives it no reference yet by which its statement could be recognised');
}

/** Whether the bank has given a reference to the entry or to each of its transactions. Without one the statement, which has it, would issue again. */
function isReferenced({ element, transactions }: Entry): boolean {
  if (realReference(textAt(element, 'AcctSvcrRef')) !== undefined) return true;
  return transactions.length > 0 && transactions.every((transaction) => servicerReference(transaction) !== undefined);
}

/** A netted entry can be a debit and hold credits. They are arriving money if the transactions add up to the entry. */
function holdsCredits({ element, status, amount, currency, transactions }: Entry): boolean {
  const directions = new Set(transactions.map((transaction) => textAt(transaction, 'CdtDbtInd') ?? 'DBIT'));
  if (status !== 'BOOK' || directions.size < 2 || amount === undefined) return false;
  return transactionAmounts(element, { amount, currency, direction: 'DBIT' }, transactions).ok;
}

/** The item of a transaction that is not arriving money; `undefined` for one that is. */
function skippedShare(
  { entry, debits }: { entry: Entry; debits: DebitReader },
  { share: { amount, direction }, transaction, index }: { share: AmountShare; transaction: Element | undefined; index: number },
): StatementItem | undefined {
  if (direction === 'DBIT') {
    const item = skippedItem({ ...entry, amount }, 'debit', 'the transaction is a debit', transaction);
    return withDebits(item, entry.isReversal ? [] : debits.ofTransaction(transaction, index, amount));
  }
  return amount === 0n ? skippedItem({ ...entry, amount }, 'amount_zero', 'its amount is zero', transaction) : undefined;
}

/** What is wrong with an entry, whatever its transactions are. */
function entryProblem({ status, direction, amount, currency }: Entry): Problem | undefined {
  const doubt = status === 'BOOK' ? undefined : `whether it is booked is unknown: its status is ${status ?? 'missing'}`;
  if (direction !== 'CRDT' && direction !== 'DBIT') {
    const which = `whether it is a credit is unknown: CdtDbtInd is ${direction ?? 'missing'}`;
    return { reason: 'direction_unknown', detail: doubt === undefined ? which : `${which}; ${doubt}` };
  }
  if (doubt !== undefined) return { reason: 'status_unknown', detail: doubt };
  if (amount === undefined) return { reason: 'amount_malformed', detail: 'the amount is not a decimal number with a point' };
  return currency === '' ? { reason: 'currency_missing', detail: 'the amount has no currency' } : undefined;
}

/** Why an entry is more than the only transaction that it lists, or may be. */
function listedInPart({ element, currency, source: { batchCount } }: Entry, transaction: Element): Problem | undefined {
  if ((batchCount ?? 1) > 1)
    return { reason: 'batch_without_details', detail: `it is a batch of ${batchCount} transactions, one of which is listed` };
  // A transaction without an amount may be one of those in the other message.
  return batchCount === 1 || hasAmount(transaction, currency) ? undefined : detailsElsewhere(element);
}

function detailsElsewhere(element: Element): Problem | undefined {
  const message = textAt(element, 'AddtlInfInd', 'MsgNmId') ?? textAt(element, 'AddtlInfInd', 'MsgId');
  if (message === undefined) return undefined;
  return { reason: 'details_in_other_message', detail: `its transactions are in another message, ${message}` };
}

/** Why an entry without transactions is not a single payment to the statement's account; `undefined` when it is. */
function missingDetails({ element, source: { batchCount } }: Entry): Problem | undefined {
  const elsewhere = detailsElsewhere(element);
  if (elsewhere !== undefined) return elsewhere;
  const batches = elementsAt(element, 'NtryDtls', 'Btch');
  if (batches.length === 0 || (batches.length === 1 && batchCount === 1)) return undefined;
  return {
    reason: 'batch_without_details',
    detail: `it is a batch of ${batchCount ?? 'an unknown number of'} transactions, none of which is listed`,
  };
}

type Skipped = Extract<StatementItem, { kind: 'skipped' }>;

/** The item of an entry, or of one transaction of it, that is not arriving money. */
function skippedItem(
  { source, amount, currency }: Pick<Entry, 'source' | 'amount' | 'currency'>,
  reason: SkippedReason,
  detail: string,
  transaction?: Element,
): Skipped {
  const minorUnits = amount === undefined ? undefined : decimalToMinorUnits(amount);
  const amountText = amount === undefined ? '' : ` (${formatDecimal(amount)} ${currency})`;
  return {
    kind: 'skipped',
    entry: source,
    skipped: withoutUndefined({
      reason,
      detail: `${detail}${amountText}`,
      amount: typeof minorUnits === 'bigint' ? minorUnits : undefined,
      currency: currency.toLowerCase() || undefined,
      endToEndId: realReference(textAt(transaction, 'Refs', 'EndToEndId')),
    }),
  };
}

/** Adds the debits of a skipped entry to it, for the book. */
function withDebits(item: Skipped, debits: BookedDebit[]): Skipped {
  return debits.length === 0 ? item : { ...item, skipped: { ...item.skipped, debits } };
}
