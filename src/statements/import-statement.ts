import type { RecordOptions } from '../ledger/bank/match-credits.ts';
import { readStatement } from '../bank/iso20022/camt/read-statement.ts';
import { findBankFile, recordBankFile, withKeptPlans } from '../ledger/bank/bank-files.ts';
import { recordCredits } from '../ledger/bank/credits.ts';
import type { Ledger, LedgerTransaction } from '../ledger/ledger.ts';
import { findReportedCredits, linkCredits, type ReportedCredit, replaceCredits } from '../ledger/bank/reported-credits.ts';
import { markRepeated, markSuspected } from '../ledger/bank/repeated-credits.ts';
import { matchReturnedPayments } from '../ledger/bank/returns/returned-payments.ts';
import { bookUnderStatements, finishStatements, listBookings } from '../ledger/bank/statements/bank-statements.ts';
import { applyDebits } from './apply-debits.ts';
import { applyReversals } from './apply-reversals.ts';
import { createContentHash } from './content-hash.ts';
import { planEntry } from './entry-plan/entry-plan.ts';
import { inImport } from './import-transaction.ts';
import { recogniseRepeats } from './recognise-repeats.ts';
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
  const items = readStatement(
    content.chunks,
    (message) => messages.add(message),
    (head) => statements.begin(head),
  );
  for await (const entries of chunksOf(entriesOf(items, () => statements.current()))) {
    const ids = entries[0]?.statement.ids ?? [];
    await bookUnderStatements(tx, ids);
    const references = await applyEntries(tx, entries, { file, report });
    await listBookings(tx, ids, [...new Set(references)]);
    await bookUnderStatements(tx, []);
    file.onProgress?.({ entries: report.entries(), bytes: content.bytes() });
  }
  const hash = content.digest();
  file.onProgress?.({ entries: report.entries(), bytes: content.bytes() });
  const before = await findBankFile(tx, hash);
  if (before !== undefined) return { ...(before.report as StatementReport), file: file.name, state: 'already_imported' };
  const finished = report.finish({ hash: hash.toString('hex'), message: [...messages].join(', ') });
  await finishStatements(tx, hash);
  await recordBankFile(tx, { hash, name: file.name, message: finished.message, report: finished });
  return finished;
}

interface Import {
  file: StatementFile;
  report: ReturnType<typeof createStatementReport>;
}

/** Returns the references, reported and known, of the money in these entries. */
async function applyEntries(tx: LedgerTransaction, entries: ReportedEntry[], { file, report }: Import): Promise<string[]> {
  const stored = await findReportedCredits(tx, [...new Set(entries.flatMap(keysOf))]);
  const byKey = indexByKey(stored);
  const plans = entries.map((entry) => {
    const known = new Set(keysOf(entry).flatMap((key) => byKey.get(key) ?? []));
    return { entry, plan: planEntry(entry, [...known]) };
  });
  await replaceCredits(
    tx,
    plans.flatMap(({ plan }) => plan.replace),
  );
  await linkCredits(
    tx,
    plans.flatMap(({ plan }) => plan.link),
  );
  const planned = plans.flatMap(({ entry, plan }) => plan.record.map((credit) => ({ entry, credit })));
  const changes = await recogniseRepeats(tx, planned);
  for (const { entry, plan } of plans) report.addEntry(entry, plan);
  const { references: debits, reversals } = await applyDebits(tx, entries, { source: file.name, report });
  for (let start = 0; start < planned.length; start += chunkSize) {
    const slice = planned.slice(start, start + chunkSize);
    const credits = slice.map(({ credit }) => credit);
    const arrived = await withKeptPlans(tx, () => recordCredits(tx, credits, { ...file.options, source: file.name }));
    const recorded = await matchReturnedPayments(tx, credits, arrived);
    for (const [index, outcome] of recorded.entries()) {
      const { entry, credit } = slice[index] as (typeof slice)[number];
      report.addCredit(entry, credit, outcome);
    }
  }
  await markRepeated(tx, changes.repeated);
  await markSuspected(tx, changes.suspected);
  await applyReversals(tx, { reversals, entries, stored }, report);
  const repeated = planned.flatMap(({ credit: { repeats } }) => (repeats?.isCertain === true ? [repeats.reference] : []));
  const replaced = changes.repeated.map(({ reference }) => reference);
  return [...entries.flatMap(keysOf), ...stored.map(({ reference }) => reference), ...repeated, ...replaced, ...debits];
}

/** Entries until they hold enough credits, never two that concern the same reference: the second must see what the first did. */
async function* chunksOf(entries: AsyncIterable<ReportedEntry>): AsyncGenerator<ReportedEntry[]> {
  let chunk: ReportedEntry[] = [];
  let keys = new Set<string>();
  let credits = 0;
  for await (const entry of entries) {
    const own = [...keysOf(entry), ...debitKeysOf(entry)];
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

/** The references under which earlier reports of an entry's money can be found. */
function keysOf({ source, money }: ReportedEntry): string[] {
  const references = money.map(({ reference }) => reference);
  return source.reference === undefined ? references : [...references, source.reference];
}

function debitKeysOf({ skipped }: ReportedEntry): string[] {
  return skipped.flatMap(({ debits = [] }) => debits.flatMap(({ reference, entryReference }) => [`debit ${entryReference ?? reference}`]));
}

function indexByKey(stored: ReportedCredit[]): Map<string, ReportedCredit[]> {
  const byKey = new Map<string, ReportedCredit[]>();
  for (const credit of stored) {
    const keys = new Set([credit.reference, ...(credit.entryReference === null ? [] : [credit.entryReference])]);
    for (const key of keys) {
      const credits = byKey.get(key);
      if (credits === undefined) byKey.set(key, [credit]);
      else credits.push(credit);
    }
  }
  return byKey;
}
