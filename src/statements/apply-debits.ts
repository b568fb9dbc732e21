import type { BookedDebit, UnreadableDebit } from '../bank/booked-debit.ts';
import { type AccountDebit, findReportedDebits, listDebits, recordDebits, replaceDebits } from '../ledger/bank/debits/bank-debits.ts';
import { debitsOfFiles } from '../ledger/bank/debits/payment-file-debits.ts';
import { problemOf, recordUnreadableDebits } from '../ledger/bank/debits/unreadable-debits.ts';
import { listBookings } from '../ledger/bank/statements/bank-statements.ts';
import { type DebitOutcome, settleBookedDebits } from '../ledger/bank/payments.ts';
import { endToEndIdOf } from '../ledger/end-to-end-id.ts';
import type { LedgerTransaction } from '../ledger/ledger.ts';
import { createDebitIndex, type DebitIndex } from './debit-index.ts';
import { type DebitPlan, type KnownReports, type PlannedDebit, planDebits } from './debit-plan.ts';
import { haveOtherBookings } from './money/compare-lines.ts';
import { type ReadDocument, readDocuments } from './money/lines-of-reports.ts';
import { type ReportedEntry, sumOf } from './reported-entry.ts';
import type { createStatementReport } from './statement-report.ts';

interface Debits {
  source: string;
  report: ReturnType<typeof createStatementReport>;
}

/** A debit that takes a credit back, and the entry that it is read from. */
export interface ReportedReversal {
  entry: ReportedEntry;
  debit: AccountDebit;
  /** What is in doubt about the debit itself. */
  problem?: string;
}

/** The debits that are known, and the documents that list them. */
interface KnownDebits {
  index: DebitIndex;
  documents: ReadonlyMap<string, ReadDocument>;
}

/** A debit and the entry that it is read from. */
interface EntryDebit extends PlannedDebit {
  entry: ReportedEntry;
}

/**
 * Applies the debits of entries: payments of ours are settled and booked, all others are booked as differences and wait for an operator. Returns
 * the references, reported and known, of the debits in them, and those that take a credit back.
 */
export async function applyDebits(
  tx: LedgerTransaction,
  entries: readonly ReportedEntry[],
  { source, report }: Debits,
): Promise<{ references: string[]; reversals: ReportedReversal[] }> {
  const groups = entries.flatMap((entry) => {
    const debits = debitsOf(entry);
    return debits.length === 0 ? [] : [{ entry, debits }];
  });
  await applyUnreadable(tx, entries, { source, report });
  if (groups.length === 0) return { references: [], reversals: [] };
  const all = groups.flatMap(({ debits }) => debits);
  const totals = groups.flatMap(({ debits: [first, ...others] }) => {
    const amount = sumOf([first?.amount, ...others.map((debit) => debit.amount)]);
    return first === undefined || amount === undefined || others.length === 0 ? [] : { ...first, amount };
  });
  const stored = await findReportedDebits(tx, all, totals);
  const index = createDebitIndex(stored);
  const documents = await readDocuments(tx, [
    ...groups.flatMap(({ entry: { statement } }) => (statement.isListing ? statement.document : [])),
    ...stored.flatMap(({ listedIn }) => listedIn ?? []),
  ]);
  const plans = groups.map(({ entry, debits }) => ({ entry, plan: planDebits(debits, knownOf(entry, { index, documents })) }));
  for (const { entry, plan } of plans) for (const { debit, text } of plan.alerts) report.addDebitAlert(entry, debit, text);
  const of = <Part>(part: (plan: DebitPlan) => Part[]): Part[] => plans.flatMap(({ plan }) => part(plan));
  await replaceDebits(
    tx,
    of(({ replace }) => replace),
  );
  const planned = plans.flatMap(({ entry, plan }) => plan.record.map((debit) => ({ ...debit, entry })));
  await recordNewDebits(tx, planned, { source, report });
  const listed = of(({ list }) => list);
  await listDebits(tx, listed);
  for (const [document, ofSum] of Map.groupBy(planned, ({ listedIn }) => listedIn)) {
    const references = ofSum.map(({ debit }) => debit.reference);
    await listBookings(tx, documents.get(document ?? '')?.statements ?? [], references);
  }
  const references = [...planned.map(({ debit }) => debit), ...listed.filter(({ isListed }) => isListed)].map(({ reference }) => reference);
  return { references, reversals: planned.filter(({ debit }) => debit.takesBack !== undefined) };
}

/** What the debits of an entry are compared with. */
function knownOf({ statement, skipped }: ReportedEntry, { index, documents }: KnownDebits): KnownReports {
  const { document, isListing: isListed } = statement;
  const currency = skipped.find((item) => item.currency !== undefined)?.currency ?? '';
  const own = documents.get(document);
  function isApart(id: string): boolean {
    const other = documents.get(id);
    return own !== undefined && other !== undefined && own !== other && haveOtherBookings(own, other, currency);
  }
  return { index, document, isListed, isApart };
}

/** Keeps the debits whose amounts cannot be read, and reports the new ones. */
async function applyUnreadable(tx: LedgerTransaction, entries: readonly ReportedEntry[], { source, report }: Debits): Promise<void> {
  const all = entries.flatMap((entry) =>
    entry.skipped.flatMap(({ unreadable }) => (unreadable === undefined ? [] : [{ entry, debit: ofAccount(entry, unreadable) }])),
  );
  const references = await recordUnreadableDebits(
    tx,
    all.map(({ debit }) => debit),
    source,
  );
  for (const { entry, debit } of all)
    if (references.includes(debit.reference)) {
      const { reference, currency, amountText } = debit;
      report.addUnexplained(entry, { reference, currency }, problemOf(amountText));
    }
}

async function recordNewDebits(tx: LedgerTransaction, planned: readonly EntryDebit[], { source, report }: Debits): Promise<void> {
  // What takes a credit back may name a payment of ours, whose return it takes back.
  const clear = planned.flatMap(({ debit, problem }) =>
    problem === undefined && debit.doubt === undefined && debit.takesBack === undefined ? [debit] : [],
  );
  const outcomes = new Map((await settleBookedDebits(tx, clear)).map((outcome) => [outcome.debit, outcome]));
  const others = clear.filter((debit) => !outcomes.has(debit));
  const files = new Map((await debitsOfFiles(tx, others)).map((found) => [found.debit, found]));
  const ofFiles = [...files.values()].flatMap(({ debit, payments }) =>
    payments.map(({ id, amount }) => ({ ...debit, endToEndId: endToEndIdOf(id), amount })),
  );
  const settled = await settleBookedDebits(tx, ofFiles);
  report.addSettled([...outcomes.values(), ...settled].filter(({ outcome }) => outcome === 'settled').length);
  const recorded = planned.map(({ entry, debit, problem, listedIn }) => {
    const outcome = outcomes.get(debit);
    const file = files.get(debit)?.file;
    const doubt = problem ?? debit.doubt ?? conflictOf(outcome);
    const isOurs = doubt === undefined && (outcome !== undefined || file !== undefined);
    // What takes a credit back is looked at after the credits of the report, and reported then.
    if (!isOurs && debit.takesBack === undefined) report.addUnexplained(entry, debit, doubt ?? 'it is none of our payments');
    const { document, isListing } = entry.statement;
    return {
      debit,
      payment: isOurs ? outcome?.id : undefined,
      paymentFile: isOurs ? file : undefined,
      problem: doubt,
      document: listedIn ?? document,
      isListed: isListing || listedIn !== undefined,
    };
  });
  await recordDebits(tx, recorded, source);
}

function conflictOf(outcome: DebitOutcome | undefined): string | undefined {
  return outcome?.outcome === 'conflict' ? `${outcome.problem} (payment ${outcome.id})` : undefined;
}

function debitsOf(entry: ReportedEntry): AccountDebit[] {
  return entry.skipped.flatMap(({ debits = [] }) =>
    debits.map((debit) => {
      const { entryReference } = debit;
      return {
        ...ofAccount(entry, debit),
        ...(entryReference !== undefined && { entryReference: entry.statement.scoped(entryReference) }),
      };
    }),
  );
}

/** A debit of the account of its statement. One without a day counts on the day of its import. */
function ofAccount<Debit extends UnreadableDebit | BookedDebit>({ statement }: ReportedEntry, debit: Debit) {
  return {
    ...debit,
    reference: statement.scoped(debit.reference),
    account: statement.accountOf(debit.currency),
    bookedOn: debit.bookedOn ?? new Date().toISOString().slice(0, 10),
  };
}
