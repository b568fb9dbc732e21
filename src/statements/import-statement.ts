import type { RecordOptions } from '../ledger/bank/match-credits.ts';
import { readStatement } from '../bank/iso20022/camt/read-statement.ts';
import { findBankFile, recordBankFile } from '../ledger/bank/bank-files.ts';
import { type NewReport, recordReports } from '../ledger/bank/bank-reports.ts';
import type { Ledger, LedgerTransaction } from '../ledger/ledger.ts';
import { finishStatements } from '../ledger/bank/statements/bank-statements.ts';
import { applyReversals } from './apply-reversals.ts';
import { problemOf, recordUnreadableDebits } from '../ledger/bank/debits/unreadable-debits.ts';
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

/** Lines in one SQL statement: enough that round trips cost little, few enough that a chunk is about a megabyte. */
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
  for await (const entries of chunksOf(entriesOf(items, () => statements.current()))) {
    await keepReports(tx, entries, documents);
    for (const entry of entries) report.addEntry(entry);
    await keepUnreadable(tx, entries, { source: file.name, report });
    file.onProgress?.({ entries: report.entries(), bytes: content.bytes() });
  }
  const hash = content.digest();
  const before = await findBankFile(tx, hash);
  if (before !== undefined) return { ...(before.report as StatementReport), file: file.name, state: 'already_imported' };
  const reversals = await applyMoney(tx, [...documents.values()], { options: { ...file.options, source: file.name }, report });
  await applyReversals(tx, { reversals, documents: [...documents.keys()] }, report);
  file.onProgress?.({ entries: report.entries(), bytes: content.bytes() });
  const finished = report.finish({ hash: hash.toString('hex'), message: [...messages].join(', ') });
  await finishStatements(tx, hash);
  await recordBankFile(tx, { hash, name: file.name, message: finished.message, report: finished });
  return finished;
}

/** Keeps what entries report of money; what that is, is decided when all of the file is known. */
async function keepReports(
  tx: LedgerTransaction,
  entries: readonly ReportedEntry[],
  documents: Map<string, ImportedDocument>,
): Promise<void> {
  const reports = entries.flatMap(({ statement: { document }, source, money, debits }): NewReport[] => {
    const { number: entry, line, bankNumber: entryNumber, name: entryName, batchCount } = source;
    const place = { document, entry, line, entryNumber, entryName };
    const entryCount = batchCount ?? (source.transactionCount || undefined);
    return [
      ...money.map(({ credit, number }) => {
        const isElsewhere = credit.railReason === 'details_in_other_message';
        return { ...place, number, entryCount: isElsewhere ? batchCount : entryCount, credit };
      }),
      ...debits.map((debit) => ({ ...place, number: debit.number, entryCount, debit })),
    ];
  });
  await recordReports(tx, reports);
  for (const { document } of reports) {
    const known = documents.get(document);
    documents.set(document, { id: document, reports: (known?.reports ?? 0) + 1 });
  }
}

/** Keeps the debits whose amounts cannot be read, and reports the new ones. */
async function keepUnreadable(
  tx: LedgerTransaction,
  entries: readonly ReportedEntry[],
  { source, report }: { source: string; report: ReturnType<typeof createStatementReport> },
): Promise<void> {
  const all = entries.flatMap((entry) => entry.unreadable.map((debit) => ({ entry, debit })));
  const references = await recordUnreadableDebits(
    tx,
    all.map(({ debit }) => debit),
    source,
  );
  for (const { entry, debit } of all) {
    if (!references.includes(debit.reference)) continue;
    const { number, line } = entry.source;
    report.addUnexplained({ entry: number, line }, { reference: debit.reference, currency: debit.currency }, problemOf(debit.amountText));
  }
}

/** Entries until they hold enough money. */
async function* chunksOf(entries: AsyncIterable<ReportedEntry>): AsyncGenerator<ReportedEntry[]> {
  let chunk: ReportedEntry[] = [];
  let lines = 0;
  for await (const entry of entries) {
    const own = entry.money.length + entry.debits.length;
    if (chunk.length > 0 && (lines + own > chunkSize || chunk.length >= chunkSize)) {
      yield chunk;
      [chunk, lines] = [[], 0];
    }
    chunk.push(entry);
    lines += own;
  }
  if (chunk.length > 0) yield chunk;
}
