import type { NewReport } from '../ledger/bank/bank-reports.ts';
import type { AccountDebit } from '../ledger/bank/debits/bank-debits.ts';
import type { NewCredit } from '../ledger/bank/match-credits.ts';
import type { BookedDebit, BankCredit } from '../bank/credit.ts';
import type { SourceEntry, SkippedItem, StatementEntry } from '../bank/iso20022/camt/entry.ts';
import type { RecordedStatement } from './statements-of-file.ts';
import { type MinorUnits, minorUnits } from '../platform/money.ts';

/** What a file says of an entry. */
export interface ReportedEntry {
  source: SourceEntry;
  /** The money in it: the entry as a whole, or its transactions. */
  reports: NewReport[];
  skipped: SkippedItem[];
}

/** What an entry of a statement reports. */
export function reportedEntry(statement: RecordedStatement, { source, items }: StatementEntry): ReportedEntry {
  const skipped = items.flatMap((item) => (item.kind === 'skipped' ? item.skipped : []));
  const credits = items.flatMap((item) => (item.kind === 'skipped' ? [] : creditOf(statement, source, item.credit)));
  const debits = skipped.flatMap((item) => item.debits ?? []).map((debit) => ofAccount(statement, debit));
  // A netted entry comes to less than its credits. One that is a debit as a whole is never reported as arriving money.
  const [arrived, debited] = [
    sumOf(credits.map(({ amount }) => amount)),
    sumOf(skipped.flatMap(({ reason, amount }) => (reason === 'debit' ? [amount] : []))),
  ];
  const total = arrived === undefined || debited === undefined ? undefined : minorUnits(arrived - debited);
  const shared = {
    isSum: credits.length === 1 && isWholeEntry(source, credits[0]),
    message: statement.message,
    ...(source.reference !== undefined && { entryReference: statement.scoped(source.reference) }),
    ...(total !== undefined && { entryAmount: total }),
  };
  // What leaves in an entry that arrives as a whole is counted by itself.
  const left =
    credits.length === 0
      ? sumOf(debits.map(({ amount }) => amount))
      : total !== undefined && total < 0n
        ? minorUnits(0n - total)
        : undefined;
  for (const credit of credits) Object.assign(credit, shared);
  if (left !== undefined) for (const debit of debits) debit.entryAmount = left;
  const { number: entry, line, bankNumber: entryNumber, name: entryName, batchCount } = source;
  const entryCharges = sumOf(credits.map(({ charges = minorUnits(0n) }) => charges)) || source.charges;
  const place = { document: statement.document, entry, line, entryNumber, entryName, entryCharges };
  const count = batchCount ?? (source.transactionCount || undefined);
  const countOf = ({ railReason }: NewCredit) => (railReason === 'details_in_other_message' ? batchCount : count);
  return {
    source,
    reports: [
      ...credits.map((credit) => Object.assign({ entryCount: countOf(credit), credit }, place)),
      ...debits.map((debit) => Object.assign({ entryCount: count, debit }, place)),
    ],
    skipped,
  };
}

/** The sum of amounts, unless one of them is not known. */
function sumOf(amounts: readonly (MinorUnits | null | undefined)[]): MinorUnits | undefined {
  let sum = 0n;
  for (const amount of amounts) {
    if (amount === undefined || amount === null) return undefined;
    sum += amount;
  }
  return minorUnits(sum);
}

/** Reasons of the reader to give an entry as a whole although it lists transactions: they do not come to it. */
const wholeReasons = new Set(['sum_differs', 'transaction_amount_missing', 'details_in_other_message']);

/** An entry without transactions or with one of several, or one whose transactions contradict its amount, which the reader gives as a whole. */
function isWholeEntry({ transactionCount, batchCount = 1 }: SourceEntry, credit: NewCredit | undefined): boolean {
  return transactionCount === 0 || (transactionCount === 1 && batchCount > 1) || wholeReasons.has(credit?.railReason ?? '');
}

/** A debit of the account of its statement. One without a day counts on the day of its import. */
function ofAccount(statement: RecordedStatement, debit: BookedDebit): AccountDebit {
  const { reference, entryReference, currency, bookedOn = new Date().toISOString().slice(0, 10) } = debit;
  return {
    ...debit,
    reference: statement.scoped(reference),
    ...(entryReference !== undefined && { entryReference: statement.scoped(entryReference) }),
    account: statement.accountOf(currency),
    bookedOn,
  };
}

function creditOf({ accountOf, scoped }: RecordedStatement, entry: SourceEntry, money: BankCredit): NewCredit {
  const credit = { ...money, reference: scoped(money.reference), bankAccount: accountOf(money.currency ?? '') };
  if (money.railReason !== undefined || entry.transactionCount > 0 || entry.reference !== undefined) return credit;
  // Another report of the same entry, with its payer, could not be recognised: it would be issued a second time.
  return {
    ...credit,
    railReason: 'reference_missing',
    unmatched: 'the entry has neither a bank reference nor details, so that another report of it could not be recognised',
  };
}
