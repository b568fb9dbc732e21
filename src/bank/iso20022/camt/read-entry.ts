import { withoutUndefined } from '../../without-undefined.ts';
import type { BookedDebit } from '../../booked-debit.ts';
import { realReference } from '../placeholder.ts';
import { type Element, elementsAt, textAt } from '../xml/element.ts';
import { createDebitReader } from './booked-debits.ts';
import { formatDecimal, minorUnitsOf } from './decimal.ts';
import { type Entry, type SourceEntry, unbookedStatuses } from './entry.ts';
import { type IncomingMoney, moneyItem, type StatementContext } from './incoming-money.ts';
import { servicerReference } from './money.ts';
import type { Problem, SkippedItem, StatementItem } from './statement-item.ts';
import { hasAmount, transactionAmounts } from './transaction-amounts.ts';

type DebitReader = ReturnType<typeof createDebitReader>;

/** The items of one entry: at least one, and one per transaction when it lists several. */
export function* readEntry(entry: Entry, context: StatementContext): Generator<StatementItem> {
  const { amount, currency, transactions } = entry;
  const debits = createDebitReader(entry, context.debitReferences);
  const skipped = skippedEntry(entry, debits, context.isIntraday);
  if (skipped !== undefined) return yield skipped;
  const source: SourceEntry = withoutUndefined({ ...entry.source, reference: context.references.ofEntry(entry) });
  const skip = (reason: SkippedItem['reason'], detail: string, about: SkippedAbout = {}) =>
    skippedItem({ ...entry, source }, { reason, detail }, about);
  const asMoney = (money: Omit<IncomingMoney, 'entry'>) => moneyItem({ entry, ...money }, source, context);
  // The transaction's facts are those of the entry when there is only one, even if its amount is in doubt.
  const onlyTransaction = transactions.length === 1 ? transactions[0] : undefined;
  const asWhole = (problem?: Problem, transaction = onlyTransaction) => asMoney({ transaction, index: 1, count: 1, amount, problem });

  const problem = entryProblem(entry);
  if (problem !== undefined || amount === undefined || currency === '') return yield asWhole(problem);
  if (amount === 0n && transactions.length < 2) return yield skip('amount_zero', 'its amount is zero');
  if (transactions.length === 0) return yield asWhole(missingDetails(entry));
  const partial = onlyTransaction === undefined ? undefined : listedInPart(entry, onlyTransaction);
  // The transaction's facts are not those of the sum.
  if (partial !== undefined) return yield asMoney({ index: 1, count: 1, amount, problem: partial });
  const split = transactionAmounts(entry, amount);
  if (!split.ok) return yield amount === 0n ? skip('amount_zero', split.detail) : asWhole(split);
  const { shares, charges } = split;
  if (charges > 0n) yield skip('debit', 'the bank charges it', { amount: charges, debits: debits.ofCharges(charges) });
  for (const [position, share] of shares.entries()) {
    const transaction = transactions[position];
    const about = { transaction, amount: share.amount };
    if (share.direction === 'DBIT') {
      const own = entry.isReversal ? [] : debits.ofTransaction(transaction, position + 1, share.amount);
      yield skip('debit', 'the transaction is a debit', { ...about, debits: own });
    } else if (share.amount === 0n) yield skip('amount_zero', 'its amount is zero', about);
    else yield asMoney({ ...about, index: position + 1, count: transactions.length });
  }
}

/** The item of an entry that holds no arriving money; `undefined` when it may hold some. */
function skippedEntry(entry: Entry, debits: DebitReader, isIntraday: boolean): StatementItem | undefined {
  const { status, direction, isReversal } = entry;
  const skip = (reason: SkippedItem['reason'], detail: string, about?: SkippedAbout) => skippedItem(entry, { reason, detail }, about);
  // What an intraday report does not say to be booked, the statement of the day will.
  const isUnbooked = isIntraday ? status !== 'BOOK' : status !== undefined && unbookedStatuses.has(status);
  if (isUnbooked) return skip('not_booked', `its status is ${status ?? 'missing'}`);
  if (direction === 'DBIT' && (isReversal || !holdsCredits(entry))) {
    const about = { debits: doubted(entry, debits.ofEntry()) };
    return isReversal ? skip('credit_reversed', 'the bank takes back an earlier credit', about) : skip('debit', 'it is a debit', about);
  }
  if (!isIntraday || isReferenced(entry)) return undefined;
  return skip('unreferenced', 'the bank gives it no reference yet by which its statement could be recognised');
}

/** Debits, with a doubt where the status of their entry does not say that it is booked. */
function doubted({ status }: Entry, debits: BookedDebit[]): BookedDebit[] {
  return status === 'BOOK' ? debits : debits.map((debit) => ({ doubt: unknownStatus(status), ...debit }));
}

function unknownStatus(status: string | undefined): string {
  return `whether it is booked is unknown: its status is ${status ?? 'missing'}`;
}

/** Whether the entry or each of its transactions has a reference. Without one the statement, which has it, would issue again. */
function isReferenced({ source, transactions }: Entry): boolean {
  if (source.bankNumber !== undefined) return true;
  return transactions.length > 0 && transactions.every((transaction) => servicerReference(transaction) !== undefined);
}

/** A netted entry can be a debit and hold credits. They are arriving money if the transactions add up to the entry. */
function holdsCredits(entry: Entry): boolean {
  const { status, amount, transactions } = entry;
  const directions = new Set(transactions.map((transaction) => textAt(transaction, 'CdtDbtInd') ?? 'DBIT'));
  return status === 'BOOK' && directions.size > 1 && amount !== undefined && transactionAmounts(entry, amount).ok;
}

/** What is unknown of an entry, whatever its amount and its transactions are. */
function entryProblem({ element, status, direction }: Entry): Problem | undefined {
  const doubt = status === 'BOOK' ? undefined : unknownStatus(status);
  if (direction !== undefined) return doubt === undefined ? undefined : { reason: 'status_unknown', detail: doubt };
  const which = `whether it is a credit is unknown: CdtDbtInd is ${textAt(element, 'CdtDbtInd') ?? 'missing'}`;
  return { reason: 'direction_unknown', detail: doubt === undefined ? which : `${which}; ${doubt}` };
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
  const detail = `it is a batch of ${batchCount ?? 'an unknown number of'} transactions, none of which is listed`;
  return { reason: 'batch_without_details', detail };
}

/** What of an entry is skipped, if it is not all, and what it means for the book. */
interface SkippedAbout extends Pick<SkippedItem, 'debits'> {
  transaction?: Element | undefined;
  amount?: Entry['amount'];
}

/** The item of an entry, or of one transaction of it, that is not arriving money. */
function skippedItem(
  entry: Entry,
  { reason, detail }: Pick<SkippedItem, 'reason' | 'detail'>,
  { transaction, amount = entry.amount, debits = [] }: SkippedAbout = {},
): StatementItem {
  const { source, currency } = entry;
  const amountText = amount === undefined ? '' : ` (${formatDecimal(amount)} ${currency})`;
  return {
    kind: 'skipped',
    entry: source,
    skipped: withoutUndefined({
      reason,
      detail: `${detail}${amountText}`,
      amount: minorUnitsOf(amount),
      currency: currency.toLowerCase() || undefined,
      endToEndId: realReference(textAt(transaction, 'Refs', 'EndToEndId')),
      debits: debits.length === 0 ? undefined : debits,
    }),
  };
}
