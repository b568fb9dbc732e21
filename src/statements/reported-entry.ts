import type { AccountDebit, UnreadableAccountDebit } from '../ledger/bank/debits/bank-debits.ts';
import type { NewCredit } from '../ledger/bank/match-credits.ts';
import type { BookedDebit, UnreadableDebit } from '../bank/booked-debit.ts';
import type { SourceEntry } from '../bank/iso20022/camt/entry.ts';
import type { SkippedItem, StatementItem, UnmatchedCredit } from '../bank/iso20022/camt/statement-item.ts';
import type { RecordedStatement } from './statements-of-file.ts';
import { type MinorUnits, minorUnits } from '../platform/money.ts';

/** A credit, and the bank's number of it. */
export interface ReportedCredit {
  credit: NewCredit;
  number: string | undefined;
}

/** What a file says of an entry. */
export interface ReportedEntry {
  statement: RecordedStatement;
  source: SourceEntry;
  /** The credits in it: the entry as a whole, or its transactions. */
  money: ReportedCredit[];
  skipped: SkippedItem[];
  /** The debits in it, and those whose amounts cannot be read. */
  debits: AccountDebit[];
  unreadable: UnreadableAccountDebit[];
}

/**
 * Groups a file's items, which are in the order of their entries, by entry. `currentStatement` is the statement of the item that was read
 * last.
 */
export async function* entriesOf(
  items: AsyncIterable<StatementItem>,
  currentStatement: () => RecordedStatement,
): AsyncGenerator<ReportedEntry> {
  let open: StatementItem[] = [];
  let statement: RecordedStatement | undefined;
  for await (const item of items) {
    if (statement !== undefined && open[0] !== undefined && open[0].entry.number !== item.entry.number) {
      yield reportedEntry(statement, open);
      open = [];
    }
    if (open.length === 0) statement = currentStatement();
    open.push(item);
  }
  if (statement !== undefined && open.length > 0) yield reportedEntry(statement, open);
}

function reportedEntry(statement: RecordedStatement, items: StatementItem[]): ReportedEntry {
  const { entry: source } = items[0] as StatementItem;
  const skipped = items.flatMap((item) => (item.kind === 'skipped' ? item.skipped : []));
  const facts = items.flatMap((item) => (item.kind === 'skipped' ? [] : [{ credit: creditOf(statement, item), number: item.number }]));
  // A netted entry comes to less than its credits. One that is a debit as a whole is never reported as arriving money.
  const debits = skipped.filter(({ reason }) => reason === 'debit').map(({ amount }) => amount);
  const credits = sumOf(facts.map(({ credit }) => credit.amount));
  const debited = sumOf(debits);
  const total = credits === undefined || debited === undefined ? undefined : minorUnits(credits - debited);
  const isSum = facts.length === 1 && isWholeEntry(source, facts[0]?.credit);
  const shared = {
    isSum,
    message: statement.message,
    ...(source.reference !== undefined && { entryReference: statement.scoped(source.reference) }),
    ...(total !== undefined && { entryAmount: total }),
  };
  for (const { credit } of facts) Object.assign(credit, shared);
  const left = skipped.flatMap((item) => (item.debits ?? []).map((debit) => debitOf(statement, debit)));
  const unreadable = skipped.flatMap((item) =>
    item.unreadable === undefined ? [] : { ...ofAccount(statement, item.unreadable), document: statement.document },
  );
  // What leaves in an entry that arrives as a whole is counted by itself.
  const net = total !== undefined && total < 0n ? minorUnits(0n - total) : undefined;
  const leaving = facts.length > 0 ? net : sumOf(left.map(({ amount }) => amount));
  if (leaving !== undefined) for (const debit of left) debit.entryAmount = leaving;
  return { statement, source, money: facts, skipped, debits: left, unreadable };
}

/** The sum of amounts, unless one of them is not known. */
export function sumOf(amounts: readonly (MinorUnits | null | undefined)[]): MinorUnits | undefined {
  let sum = 0n;
  for (const amount of amounts) {
    if (amount === undefined || amount === null) return undefined;
    sum += amount;
  }
  return minorUnits(sum);
}

/** Reasons of the reader to give an entry as a whole although it lists transactions: they do not come to it. */
const wholeReasons = new Set(['sum_differs', 'transaction_amount_missing', 'batch_without_details', 'details_in_other_message']);

/** An entry without transactions, or one whose transactions contradict its amount, which the reader gives as a whole. */
function isWholeEntry({ transactionCount }: SourceEntry, credit: NewCredit | undefined): boolean {
  return transactionCount === 0 || wholeReasons.has(credit?.railReason ?? '');
}

function debitOf(statement: RecordedStatement, debit: BookedDebit): AccountDebit {
  const { entryReference } = debit;
  return { ...ofAccount(statement, debit), ...(entryReference !== undefined && { entryReference: statement.scoped(entryReference) }) };
}

/** A debit of the account of its statement. One without a day counts on the day of its import. */
function ofAccount<Debit extends UnreadableDebit | BookedDebit>(statement: RecordedStatement, debit: Debit) {
  return {
    ...debit,
    reference: statement.scoped(debit.reference),
    account: statement.accountOf(debit.currency),
    bookedOn: debit.bookedOn ?? new Date().toISOString().slice(0, 10),
  };
}

function creditOf({ accountOf, scoped }: RecordedStatement, item: Exclude<StatementItem, { kind: 'skipped' }>): NewCredit {
  if (item.kind === 'unmatched') {
    const { currency = '', reference } = item.unmatched;
    return { ...unmatchedCredit(item.unmatched), reference: scoped(reference), bankAccount: accountOf(currency) };
  }
  const { entry } = item;
  const credit = { ...item.credit, reference: scoped(item.credit.reference), bankAccount: accountOf(item.credit.currency) };
  if (entry.transactionCount > 0 || entry.reference !== undefined) return credit;
  // Another report of the same entry, with its payer, could not be recognised: it would be issued a second time.
  return {
    ...credit,
    railReason: 'reference_missing',
    unmatched: 'the entry has neither a bank reference nor details, so that another report of it could not be recognised',
  };
}

function unmatchedCredit({ reason, detail, amountText, returned, ...facts }: UnmatchedCredit): Omit<NewCredit, 'bankAccount'> {
  const more = { ...(amountText !== undefined && { amountText }), ...(returned && { returned }) };
  return { ...facts, unmatched: detail, railReason: reason, ...(Object.keys(more).length > 0 && { facts: more }) };
}
