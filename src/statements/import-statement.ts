import type { RecordOptions } from '../ledger/bank/match-credits.ts';
import { readStatement } from '../bank/iso20022/camt/read-statement.ts';
import { findBankFile, recordBankFile } from '../ledger/bank/bank-files.ts';
import { type NewReport, recordReports } from '../ledger/bank/bank-reports.ts';
import type { Ledger, LedgerTransaction } from '../ledger/ledger.ts';
import { bookUnderStatements, finishStatements, listBookings } from '../ledger/bank/statements/bank-statements.ts';
import { applyDebits, type ReportedReversal } from './apply-debits.ts';
import { applyReversals } from './apply-reversals.ts';
import { createContentHash } from './content-hash.ts';
import { inImport } from './import-transaction.ts';
import { applyMoney, type ImportedDocument } from './money/apply-money.ts';
import { createStatementReport, type StatementReport } from './statement-report.ts';
import { createStatementsOfFile } from './statements-of-file.ts';
import type { AccountSettings } from './statement-account.ts';
import { entriesOf, type ReportedEntry } from './reported-entry.ts';

/** A statement, notification or intraday report to be imported, read piece by piece. */
export interface StatementFile {
  /** Name of the file, kept as the source of its credits. */
  name: string;
  chunks: AsyncIterable<Uint8Array | string>;
  options: Omit<RecordOptions, 'source'>;
  /** Whose statements are read; without them those of every account, and no intraday reports. */
  settings?: AccountSettings;
  onProgress?: (progress: ImportProgress) => void;
}

/** How much of a file is imported so far. */
export interface ImportProgress {
  entries: number;
  bytes: number;
}

/** Credits in one SQL statement: enough that round trips cost little, few enough that a chunk is about a megabyte. */
const chunkSize = 500;

/**
 * Imports a camt.053, camt.054 or camt.052 file: whole or not at all, in one database transaction, and in memory that does not
 * grow with it. A file with the same content, or money that was reported before, changes nothing. Imports wait for each
 * other.
 *
 * Throws the reader's `StopError` for a file that cannot be applied.
 */
export async function importStatement(ledger: Ledger, file: StatementFile): Promise<StatementReport> {
  return inImport(ledger, file.name, (tx) => applyStatement(tx, file));
}

/** The part of an import between its lock and its commit. */
export async function applyStatement(tx: LedgerTransaction, file: StatementFile): Promise<StatementReport> {
  const content = createContentHash(file.chunks);
  const messages = new Set<string>();
  const report = createStatementReport(file.name);
  const statements = createStatementsOfFile(tx, file.settings);
  const items = readStatement(content.chunks, {
    timeZone: file.settings?.bankTimeZone,
    onMessage: (message) => messages.add(message),
    onStatement: (head) => statements.begin(head),
  });
  const documents = new Map<string, ImportedDocument>();
  const reversals: ReportedReversal[] = [];
  for await (const entries of chunksOf(entriesOf(items, () => statements.current()))) {
    const ids = entries[0]?.statement.ids ?? [];
    await bookUnderStatements(tx, ids);
    await keepReports(tx, entries, documents);
    for (const entry of entries) report.addEntry(entry);
    const debits = await applyDebits(tx, entries, { source: file.name, report });
    reversals.push(...debits.reversals);
    await listBookings(tx, ids, [...new Set(debits.references)]);
    await bookUnderStatements(tx, []);
    file.onProgress?.({ entries: report.entries(), bytes: content.bytes() });
  }
  const hash = content.digest();
  const before = await findBankFile(tx, hash);
  if (before !== undefined) return { ...(before.report as StatementReport), file: file.name, state: 'already_imported' };
  await applyMoney(tx, [...documents.values()], { options: { ...file.options, source: file.name }, report });
  await applyReversals(tx, { reversals, documents: [...documents.keys()] }, report);
  file.onProgress?.({ entries: report.entries(), bytes: content.bytes() });
  const finished = report.finish({ hash: hash.toString('hex'), message: [...messages].join(', ') });
  await finishStatements(tx, hash);
  await recordBankFile(tx, { hash, name: file.name, message: finished.message, report: finished });
  return finished;
}

/** Keeps what entries report of arriving money; what that is, is decided when all of the file is known. */
async function keepReports(
  tx: LedgerTransaction,
  entries: readonly ReportedEntry[],
  documents: Map<string, ImportedDocument>,
): Promise<void> {
  const reports = entries.flatMap(({ statement: { document }, source, money }) =>
    money.map(({ credit, number }): NewReport => ({
      document,
      entry: source.number,
      line: source.line,
      number,
      entryNumber: source.bankNumber,
      entryName: source.name,
      entryCount:
        source.batchCount ?? (credit.railReason === 'details_in_other_message' ? undefined : source.transactionCount || undefined),
      credit,
    })),
  );
  await recordReports(tx, reports);
  for (const { document } of reports) {
    const known = documents.get(document);
    documents.set(document, { id: document, reports: (known?.reports ?? 0) + 1 });
  }
}

/** Entries until they hold enough credits, never two whose debits concern the same reference: the second must see what the first did. */
async function* chunksOf(entries: AsyncIterable<ReportedEntry>): AsyncGenerator<ReportedEntry[]> {
  let chunk: ReportedEntry[] = [];
  let keys = new Set<string>();
  let credits = 0;
  for await (const entry of entries) {
    const own = debitKeysOf(entry);
    const isOfOther = chunk[0] !== undefined && chunk[0].statement.ids !== entry.statement.ids;
    if (
      chunk.length > 0 &&
      (isOfOther || credits + entry.money.length > chunkSize || chunk.length >= chunkSize || own.some((key) => keys.has(key)))
    ) {
      yield chunk;
      [chunk, keys, credits] = [[], new Set(), 0];
    }
    chunk.push(entry);
    credits += entry.money.length;
    for (const key of own) keys.add(key);
  }
  if (chunk.length > 0) yield chunk;
}

function debitKeysOf({ skipped }: ReportedEntry): string[] {
  return skipped.flatMap(({ debits = [] }) => debits.map(({ reference, entryReference }) => `debit ${entryReference ?? reference}`));
}
