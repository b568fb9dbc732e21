import { readStatement } from '../bank/iso20022/camt/read-statement.ts';
import { recordReports } from '../ledger/bank/bank-reports.ts';
import type { LedgerTransaction } from '../ledger/ledger.ts';
import { finishStatements } from '../ledger/bank/statements/bank-statements.ts';
import { reverseCredits } from '../ledger/bank/claims/credit-reversals.ts';
import { possibleReversals } from '../ledger/bank/claims/possible-reversals.ts';
import type { TakenBack } from '../ledger/bank/claims/taken-back.ts';
import { possibleFirstReports } from '../ledger/bank/debits/repeated-debits.ts';
import type { ReportedReversal } from './apply-debits.ts';
import type { FinishImport, ImportedPart } from './file-report.ts';
import { applyMoney } from './money/apply-money.ts';
import { createStatementReport, type StatementReport } from './statement-report.ts';
import { type RecordedStatement, recordStatementOfFile } from './statements-of-file.ts';
import { entriesOf, type ReportedEntry } from './reported-entry.ts';

/** Lines in one SQL statement: enough that round trips cost little, few enough that a chunk is about a megabyte. */
const chunkSize = 500;

/** Reads a camt.053, camt.054 or camt.052 file, and keeps what it reports; what money that is, is decided when all of it is known. */
export async function readStatementFile(tx: LedgerTransaction, file: ImportedPart): Promise<FinishImport<StatementReport>> {
  const messages = new Set<string>();
  const report = createStatementReport();
  let statement: RecordedStatement | undefined;
  const items = readStatement(file.chunks, {
    timeZone: file.settings?.bankTimeZone,
    onMessage: (message) => messages.add(message),
    onStatement: async (head) => {
      statement = await recordStatementOfFile(tx, head, file.settings);
    },
  });
  // How much each document of the file reports.
  const documents = new Map<string, number>();
  for await (const entries of chunksOf(entriesOf(items, () => statement))) {
    const reports = entries.flatMap((entry) => entry.reports);
    await recordReports(tx, reports);
    for (const { document } of reports) documents.set(document, (documents.get(document) ?? 0) + 1);
    for (const entry of entries) report.addEntry(entry);
    file.onEntries(report.entries());
  }
  return async (hash) => {
    const reversals = await applyMoney(tx, documents, { options: { ...file.options, source: file.name }, report });
    await applyReversals(tx, reversals, { documents: [...documents.keys()], report });
    file.onEntries(report.entries());
    await finishStatements(tx, hash);
    return report.finish([...messages].join(', '));
  };
}

/** Entries until they hold enough money. */
async function* chunksOf(entries: AsyncIterable<ReportedEntry>): AsyncGenerator<ReportedEntry[]> {
  let chunk: ReportedEntry[] = [];
  let lines = 0;
  for await (const entry of entries) {
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
  const waiting = unproven.map(({ debit }) => debit.reference);
  const possible = await possibleReversals(tx, waiting);
  const earlier = await possibleFirstReports(tx, waiting);
  for (const { place, debit, problem } of unproven) {
    const reference = debit.reference;
    const why = unprovenText(possible.get(reference), earlier.get(reference));
    report.addUnexplained(place, debit, problem === undefined ? why : `${problem}; ${why}`);
  }
}

function unprovenText(credits: readonly string[] = [], debits: readonly string[] = []): string {
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
