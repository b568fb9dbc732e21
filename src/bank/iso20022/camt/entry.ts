import type { Account } from './account.ts';
import { formatDecimal, minorUnitsOf, parseDecimal } from './decimal.ts';
import type { Decimal } from './decimal.ts';
import { elementAt, elementsAt, textAt } from '../xml/element.ts';
import type { Element } from '../xml/element.ts';
import { moneyItem } from './incoming-money.ts';
import type { Problem } from './incoming-money.ts';
import { realReference } from '../placeholder.ts';
import type { ReferenceBook } from './credit-references.ts';
import type { BookedDebit, EntryPlace, SkippedReason, StatementItem } from './statement-item.ts';
import { transactionAmounts } from './transaction-amounts.ts';
import type { Direction } from './transaction-amounts.ts';

/** `ExternalEntryStatus1Code` besides `BOOK`: pending, information only, in the future. */
const notBooked = new Set(['PDNG', 'INFO', 'FUTR']);

type Skipped = Extract<StatementItem, { kind: 'skipped' }>;

/** What an entry is read with. */
export interface EntryContext {
  account: Account;
  references: ReferenceBook;
  /** Counted over the file, from 1. */
  number: number;
}

/** The status of an entry: a plain text in version 02, `Cd` or `Prtry` from 08. */
export function statusOf(entry: Element): string | undefined {
  return textAt(entry, 'Sts', 'Cd') ?? textAt(entry, 'Sts', 'Prtry') ?? textAt(entry, 'Sts');
}

/** The items of one `Ntry`: at least one, and one per transaction when it lists several. */
export function* readEntry(entry: Element, { account, references, number }: EntryContext): Generator<StatementItem> {
  const transactions = elementsAt(entry, 'NtryDtls', 'TxDtls');
  const status = statusOf(entry);
  const direction = textAt(entry, 'CdtDbtInd');
  const currency = elementAt(entry, 'Amt')?.currency?.trim().toUpperCase() ?? '';
  const amount = parseDecimal(textAt(entry, 'Amt'));
  const reversal = ['true', '1'].includes(textAt(entry, 'RvslInd') ?? '');
  const place: EntryPlace = { number, line: entry.line, transactions: transactions.length };
  const skip = (reason: SkippedReason, detail: string) => skipped(place, reason, detail, amount, currency);
  const whole = (problem?: Problem) => {
    // The facts of an only transaction are told even where the entry as a whole is in doubt.
    const transaction = transactions.length === 1 ? transactions[0] : undefined;
    return moneyItem({ entry, transaction, index: 1, count: 1, amount, currency, reversal, problem }, account, references, place);
  };

  if (status !== undefined && notBooked.has(status)) return yield skip('not_booked', `its status is ${status}`);
  if (direction === 'DBIT' && reversal) return yield skip('credit_reversed', 'the bank takes back an earlier credit');
  if (direction === 'DBIT' && !holdsCredits(entry, amount, currency, transactions)) {
    const item = skip('debit', 'it is a debit');
    const debits = status === 'BOOK' ? bookedDebits(entry, amount, currency, transactions) : [];
    return yield withDebits(item, debits);
  }
  const reference = references.entry(entry);
  if (reference !== undefined) place.reference = reference;

  const problem = entryProblem(status, direction, amount, currency);
  if (problem !== undefined || amount === undefined) return yield whole(problem);
  if (amount === 0n && transactions.length < 2) return yield skip('amount_zero', 'its amount is zero');
  if (transactions.length === 0) return yield whole(missingDetails(entry));

  const shared = transactionAmounts(entry, { amount, currency, direction: direction as Direction }, transactions);
  if (!shared.ok) return yield amount === 0n ? skip('amount_zero', shared.detail) : whole(shared);
  for (const [position, share] of shared.shares.entries()) {
    const transaction = transactions[position];
    if (share.direction === 'DBIT') {
      const item = skipped(place, 'debit', 'the transaction is a debit', share.amount, currency, transaction);
      yield withDebits(item, reversal ? [] : bookedDebit(transaction, share, currency));
    } else if (share.amount === 0n) yield skipped(place, 'amount_zero', 'its amount is zero', 0n, currency, transaction);
    else {
      const money = { entry, transaction, index: position + 1, count: transactions.length, amount: share.amount, currency, reversal };
      yield moneyItem(money, account, references, place);
    }
  }
}

/** A netted entry can be a debit and hold credits: those are money that arrived, if the entry's sum proves them. */
function holdsCredits(entry: Element, amount: Decimal | undefined, currency: string, transactions: Element[]): boolean {
  const directions = new Set(transactions.map((transaction) => textAt(transaction, 'CdtDbtInd') ?? 'DBIT'));
  if (statusOf(entry) !== 'BOOK' || directions.size < 2 || amount === undefined) return false;
  return transactionAmounts(entry, { amount, currency, direction: 'DBIT' }, transactions).ok;
}

/** The payments of a debit entry, if their amounts make up its own. */
function bookedDebits(entry: Element, amount: Decimal | undefined, currency: string, transactions: Element[]): BookedDebit[] {
  if (amount === undefined || transactions.length === 0) return [];
  const shared = transactionAmounts(entry, { amount, currency, direction: 'DBIT' }, transactions);
  if (!shared.ok) return [];
  return shared.shares.flatMap((share, position) =>
    share.direction === 'DBIT' ? bookedDebit(transactions[position], share, currency) : [],
  );
}

function bookedDebit(transaction: Element | undefined, share: { amount: Decimal }, currency: string): BookedDebit[] {
  const amount = minorUnitsOf(share.amount);
  const endToEndId = realReference(textAt(transaction, 'Refs', 'EndToEndId'));
  if (typeof amount !== 'bigint' || endToEndId === undefined) return [];
  return [{ endToEndId, amount, currency: currency.toLowerCase() }];
}

function withDebits(item: Skipped, debits: BookedDebit[]): Skipped {
  return debits.length === 0 ? item : { ...item, skipped: { ...item.skipped, debits } };
}

/** What is wrong with an entry before its transactions are looked at. */
function entryProblem(
  status: string | undefined,
  direction: string | undefined,
  amount: Decimal | undefined,
  currency: string,
): Problem | undefined {
  if (status !== 'BOOK')
    return { reason: 'status_unknown', detail: `whether it is booked is unknown: its status is ${status ?? 'missing'}` };
  if (direction !== 'CRDT' && direction !== 'DBIT') {
    return { reason: 'direction_unknown', detail: `whether it is a credit is unknown: CdtDbtInd is ${direction ?? 'missing'}` };
  }
  if (amount === undefined) return { reason: 'amount_malformed', detail: 'the amount is no decimal number with a point' };
  return currency === '' ? { reason: 'currency_missing', detail: 'the amount names no currency' } : undefined;
}

/** Why an entry without transactions is not one payment to the statement's account; `undefined` when it is. */
function missingDetails(entry: Element): Problem | undefined {
  const message = textAt(entry, 'AddtlInfInd', 'MsgNmId') ?? textAt(entry, 'AddtlInfInd', 'MsgId');
  if (message !== undefined) {
    return { reason: 'details_in_other_message', detail: `its transactions are told in another message, ${message}` };
  }
  const batches = elementsAt(entry, 'NtryDtls', 'Btch');
  const counts = batches.map((batch) => textAt(batch, 'NbOfTxs'));
  if (batches.length === 0 || (batches.length === 1 && Number(counts[0]) === 1)) return undefined;
  const total = counts.some((count) => count === undefined)
    ? 'an unknown number of'
    : counts.reduce((sum, count) => sum + Number(count), 0);
  return { reason: 'batch_without_details', detail: `it is a batch of ${total} transactions, none of which is told` };
}

function skipped(
  entry: EntryPlace,
  reason: SkippedReason,
  detail: string,
  amount: Decimal | undefined,
  currency: string,
  transaction?: Element,
): Skipped {
  const units = amount === undefined ? undefined : minorUnitsOf(amount);
  const endToEndId = realReference(textAt(transaction, 'Refs', 'EndToEndId'));
  const text = amount === undefined ? '' : ` (${formatDecimal(amount)} ${currency})`;
  return {
    kind: 'skipped',
    entry,
    skipped: {
      reason,
      detail: `${detail}${text}`,
      ...(typeof units === 'bigint' && { amount: units }),
      ...(currency && { currency: currency.toLowerCase() }),
      ...(endToEndId && { endToEndId }),
    },
  };
}
