import type { StoredDocument, StoredReport, WrittenBalances } from '../../ledger/bank/related-reports.ts';
import { idOfEndToEndId } from '../../ledger/end-to-end-id.ts';
import { isOwnPayment } from '../../ledger/bank/returns/own-payments.ts';
import { minorUnits } from '../../platform/money.ts';
import type { BookedBalances, CreditOfLine, ReportDocument, ReportedLine, ReportEntry } from './reported-line.ts';

/** A line with the report that it is read from. */
export interface StoredLine extends ReportedLine {
  report: StoredReport;
}

/** Reasons of the reader to give an entry as a whole because it has several transactions, or others than it lists. */
const batchReasons = new Set(['batch_without_details', 'details_in_other_message']);

/** What reports are read with: the balances of the other statements of their days, by document, and payment files of ours, by the ids of their payments. */
interface Known {
  ofDays: ReadonlyMap<string, WrittenBalances[]>;
  files: ReadonlyMap<string, string>;
}

/** Reads stored reports as lines, which share their documents and entries. The payments of a file that a document reports one by one are an entry: another may have their sum. */
export function linesOf(reports: readonly StoredReport[], { ofDays, files }: Known): StoredLine[] {
  const documents = new Map<string, ReportDocument>();
  const entries = new Map([...Map.groupBy(reports, entryIdOf)].map(([id, ofEntry]) => [id, entryOf(id, ofEntry)]));
  const ofFiles = new Map(
    [...Map.groupBy(reports, (report) => fileIdOf(report, files))].map(([id, ofFile]) => [id, entryOfFile(id ?? '', ofFile)]),
  );
  return reports.map((report) => {
    const document = documents.get(report.document) ?? documentOf(report, ofDays.get(report.document) ?? []);
    documents.set(report.document, document);
    const file = fileIdOf(report, files);
    return lineOf(
      report,
      document,
      (file === undefined ? undefined : ofFiles.get(file)) ?? (entries.get(entryIdOf(report)) as ReportEntry),
    );
  });
}

function fileIdOf(
  { document, isDebit, isSum, entryCount, endToEndId }: StoredReport,
  files: ReadonlyMap<string, string>,
): string | undefined {
  const file = isDebit && !isSum && (entryCount ?? 1) === 1 ? files.get(idOfEndToEndId(endToEndId ?? undefined) ?? '') : undefined;
  return file && `${document} file ${file}`;
}

/** An entry of the payments of a file, unless there is only one, or one is reported twice. */
function entryOfFile(id: string, reports: readonly StoredReport[]): ReportEntry | undefined {
  if (reports.length < 2 || new Set(reports.map(({ endToEndId }) => endToEndId?.toLowerCase())).size < reports.length) return undefined;
  const total = minorUnits(reports.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n));
  const numbers = reports.flatMap(({ entryNumber }) => entryNumber ?? []).toSorted();
  return {
    id,
    number: numbers.length < reports.length ? null : numbers.join(' '),
    name: null,
    total,
    count: reports.length,
    isComplete: true,
  };
}

function entryIdOf({ document, entry, isDebit }: StoredReport): string {
  return `${document} ${entry} ${isDebit ? 'debits' : 'credits'}`;
}

function lineOf(report: StoredReport, document: ReportDocument, entry: ReportEntry): StoredLine {
  const { id, account, number, content, currency, amount, bookedOn, iban, endToEndId, uetr, isSum, reason } = report;
  const isReturn = report.takesBack || isOwnPayment(reason);
  return {
    report,
    id,
    document,
    entry,
    number,
    content,
    currency,
    amount,
    bookedOn,
    iban: iban === account || isReturn || isSum ? null : iban,
    payerAccount: isSum ? null : report.payerAccount,
    payerName: isSum || report.payerName === null ? null : comparableText(report.payerName),
    endToEndId: endToEndId === null ? null : comparableText(endToEndId),
    uetr,
    isSum,
    // A bank lists no transactions of a debit, and does not say how many it has.
    isBatch: batchReasons.has(reason ?? '') || (isSum && (entry.count ?? (report.isDebit ? 2 : 1)) > 1),
    isDoubtful: reason !== null && !isReturn,
    isReturn,
    credit: creditOf(report),
  };
}

function documentOf(
  { document: id, kind, name, createdAt, page, fromOn, closedOn, balances }: StoredDocument,
  ofDay: readonly WrittenBalances[],
): ReportDocument {
  return { id, kind, name, createdAt, page, fromOn, closedOn, balances: balancesOf(balances), balancesOfDay: ofDay.map(balancesOf) };
}

function balancesOf(written: WrittenBalances): BookedBalances {
  const read = Object.entries(written).map(
    ([currency, { opening, closing }]) => [currency, { opening: minorOf(opening), closing: minorOf(closing) }] as const,
  );
  return Object.fromEntries(read);
}

function minorOf(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}

function entryOf(id: string, reports: readonly StoredReport[]): ReportEntry {
  const [{ entryNumber: number, entryName: name, entryTotal, entryCount: count }] = reports as [StoredReport];
  const total = entryTotal === null ? null : minorUnits(BigInt(entryTotal));
  const isComplete = total === reports.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n);
  return { id, number, name, total, count, isComplete };
}

function creditOf({ credit: reference, creditState, creditIban: iban, isFirst, isPinned }: StoredReport): CreditOfLine | null {
  if (reference === null || creditState === null) return null;
  const state = creditState === 'unmatched' ? 'open' : creditState === 'replaced' ? 'replaced' : 'spent';
  return { reference, state, iban, isFirst, isPinned };
}

/** A text for comparison with another report of the same payment: banks write capitals, drop spaces, signs and the marks of letters, or write `UE` for `Ü`. */
export function comparableText(text: string): string {
  const letters = text
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return letters.replace(/([AOU])E/g, '$1');
}
