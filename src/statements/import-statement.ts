import { readStatement } from '../bank/iso20022/camt/read-statement.ts';
import type { StatementEntry } from '../bank/iso20022/camt/entry.ts';
import { withKeptPlans } from '../ledger/bank/bank-files.ts';
import { recordReports } from '../ledger/bank/bank-reports.ts';
import type { LedgerTransaction } from '../ledger/ledger.ts';
import { finishStatements } from '../ledger/bank/statements/bank-statements.ts';
import { withPaymentsOfFiles } from '../ledger/bank/returns/payments-in-one-sum.ts';
import { reverseCredits, possibleCauses, type PossibleCauses } from '../ledger/bank/claims/credit-reversals.ts';
import type { TakenBack } from '../ledger/bank/claims/taken-back.ts';
import type { ReportedReversal } from './apply-debits.ts';
import type { FinishImport, ImportedPart } from './file-report.ts';
import { applyMoney } from './money/apply-money.ts';
import { createStatementReport, type StatementReport } from './statement-report.ts';
import { type RecordedStatement, recordStatementOfFile } from './statements-of-file.ts';
import { reportedEntry, type ReportedEntry } from './reported-entry.ts';

/** Lines in one SQL statement: enough that round trips cost little, few enough that a chunk is about a megabyte. */
const chunkSize = 500;

/** Reads a camt.053, camt.054 or camt.052 file, and keeps what it reports; what money that is, is decided when all of it is known. */
export async function readStatementFile(tx: LedgerTransaction, file: ImportedPart): Promise<FinishImport<StatementReport>> {
  const messages = new Set<string>();
  const report = createStatementReport();
  let statement: RecordedStatement | undefined;
  const read = readStatement(file.chunks, {
    timeZone: file.settings?.bankTimeZone,
    onMessage: (message) => messages.add(message),
    onStatement: async (head) => {
      statement = await recordStatementOfFile(tx, head, file.settings);
    },
  });
  // How much each document of the file reports.
  const documents = new Map<string, number>();
  await withKeptPlans(tx, async () => {
    // A chunk is read while the one before is written.
    let written = Promise.resolve();
    for await (const entries of chunksOf(read, (entry) => reportedEntry(statement as RecordedStatement, entry))) {
      await written;
      const reports = await withPaymentsOfFiles(
        tx,
        entries.flatMap((entry) => entry.reports),
      );
      written = recordReports(tx, reports);
      written.catch(() => {});
      for (const { document } of reports) documents.set(document, (documents.get(document) ?? 0) + 1);
      for (const entry of entries) report.addEntry(entry);
      file.onEntries(report.entries());
    }
    await written;
  });
  return async (hash) => {
    const reversals = await applyMoney(tx, documents, { options: { ...file.options, source: file.name }, report });
    await applyReversals(tx, reversals, { documents: [...documents.keys()], report });
    file.onEntries(report.entries());
    await finishStatements(tx, hash);
    return report.finish([...messages].join(', '));
  };
}

/** Entries until they hold enough money. */
async function* chunksOf(
  read: AsyncIterable<StatementEntry>,
  reportOf: (entry: StatementEntry) => ReportedEntry,
): AsyncGenerator<ReportedEntry[]> {
  let chunk: ReportedEntry[] = [];
  let lines = 0;
  for await (const next of read) {
    const entry = reportOf(next);
    const own = entry.reports.length;
    if (chunk.length > 0 && (lines + own > chunkSize || chunk.length >= chunkSize)) {
      yield chunk;
      [chunk, lines] = [[], 0];
    }
    chunk.push(entry);
    lines += own;
  }
  if (chunk.length > 0) yield chunk;
}

/** Takes the credits back that debits reverse, and says in the report of each what was done: also of debits of earlier files. */
async function applyReversals(
  tx: LedgerTransaction,
  reversals: readonly ReportedReversal[],
  { documents, report }: { documents: readonly string[]; report: ReturnType<typeof createStatementReport> },
): Promise<void> {
  const outcomes = await reverseCredits(tx, { debits: reversals.map(({ debit }) => debit.reference), documents });
  const byReference = new Map(reversals.map((reversal) => [reversal.debit.reference, reversal]));
  const proven = new Set<string>();
  for (const { debit: reference, currency, amount, taken } of outcomes) {
    if (taken.length > 0) proven.add(reference);
    const place = byReference.get(reference)?.place;
    for (const credit of taken) report.addAlert(place, { reference, currency, amount }, textOf(credit, place === undefined));
  }
  const unproven = reversals.filter(({ debit }) => !proven.has(debit.reference));
  const causes = await possibleCauses(
    tx,
    unproven.map(({ debit }) => debit.reference),
  );
  for (const { place, debit, problem } of unproven) {
    const why = unprovenText(causes.get(debit.reference));
    report.addUnexplained(place, debit, problem === undefined ? why : `${problem}; ${why}`);
  }
}

function unprovenText({ mayTakeBack: credits, mayRepeat: debits }: PossibleCauses = { mayTakeBack: [], mayRepeat: [] }): string {
  const possible = credits.length === 0 ? '' : `; it may be ${credits.join(' or ')}`;
  const earlier = debits.length === 0 ? '' : `; or it is another report of the debit ${debits.join(' or ')}: then it is repeat-of:DEBIT`;
  return `it takes a credit back, and nothing proves which${possible}${earlier}`;
}

function textOf({ credit, orderId, effect }: TakenBack, isEarlier: boolean): string {
  const order = orderId === null ? '' : ` (order ${orderId})`;
  const earlier = isEarlier ? ' by a debit of an earlier file' : '';
  const what = {
    reversed: 'nothing was issued or returned for it',
    pending: 'it is about to be issued or returned: this becomes a claim when it is',
    claim: 'it was issued or returned already: `mintrail bank claims` has the claim',
  }[effect];
  return `THE BANK TOOK THE CREDIT ${credit} BACK${order}${earlier}: ${what}`;
}
