import { idOfEndToEndId } from '../../ledger/end-to-end-id.ts';
import { type ReportDocument, type ReportedLine, type ReportEntry, statementKind } from '../../ledger/bank/reported-line.ts';
import type { StoredReport } from '../../ledger/bank/related-reports.ts';
import type { KnownFile } from '../../ledger/bank/debits/payment-file-debits.ts';
import { isOwnPayment } from '../../ledger/bank/returns/own-payments.ts';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';

/** Reasons of the reader to give an entry as a whole because it has several transactions, or others than it lists. */
const batchReasons = new Set(['batch_without_details', 'details_in_other_message']);

/** What reports are read with: their documents and, by the ids of payments of ours, their files and the debits that book them as an operator has said. */
interface Known {
  documents: ReadonlyMap<string, ReportDocument>;
  files: ReadonlyMap<string, KnownFile>;
  explained: ReadonlyMap<string, { reference: string; amount: MinorUnits }>;
}

/** Reads stored reports as lines, which share their documents and entries. The payments of a file that a statement, or notifications together, report one by one are an entry: another may have their sum. */
export function linesOf(reports: readonly StoredReport[], { documents, files, explained }: Known): ReportedLine[] {
  const entries = new Map([...Map.groupBy(reports, entryIdOf)].map(([id, ofEntry]) => [id, entryOf(id, ofEntry)]));
  const ofFiles = new Map(
    [...Map.groupBy(reports, (report) => fileOf(report, files))].flatMap(([file, ofFile]) =>
      file === undefined ? [] : entriesOfFile(file, ofFile, documents),
    ),
  );
  return reports.map((report) => {
    const entry = ofFiles.get(report) ?? entries.get(entryIdOf(report));
    const line = lineOf(report, documents.get(report.document) as ReportDocument, entry as ReportEntry);
    const booked = explained.get(line.payment ?? '');
    line.file = namedFile(report, files)?.file ?? null;
    return booked?.amount === line.amount ? { ...line, bookedBy: booked.reference } : line;
  });
}

function fileOf({ isDebit, isSum, entry, endToEndId }: StoredReport, files: Known['files']): string | undefined {
  const known = isDebit && !isSum && (entry.count ?? 1) === 1 ? files.get(idOfEndToEndId(endToEndId ?? undefined) ?? '') : undefined;
  return known?.hasSum === true ? known.file : undefined;
}

/** The file of the payment that a debit names, or that it names as a whole. */
function namedFile({ isDebit, endToEndId, files: named }: StoredReport, files: Known['files']): KnownFile | undefined {
  const ids = isDebit ? [endToEndId, ...named].map((text) => idOfEndToEndId(text ?? undefined) ?? '') : [];
  return ids.flatMap((id) => files.get(id) ?? [])[0];
}

/** The entries of the payments of a file: one of all notifications that report each of them once, else one of each document. */
function entriesOfFile(file: string, reports: readonly StoredReport[], documents: Known['documents']): [StoredReport, ReportEntry][] {
  return [...Map.groupBy(reports, ({ document }) => documents.get(document)?.kind ?? '')].flatMap(([kind, ofKind]) => {
    const together = kind === statementKind ? undefined : entryOfFile(`${kind} file ${file}`, ofKind);
    if (together !== undefined) return ofKind.map((report): [StoredReport, ReportEntry] => [report, together]);
    return [...Map.groupBy(ofKind, ({ document }) => document)].flatMap(([document, ofDocument]) => {
      const entry = entryOfFile(`${document} file ${file}`, ofDocument);
      return entry === undefined ? [] : ofDocument.map((report): [StoredReport, ReportEntry] => [report, entry]);
    });
  });
}

/** An entry of the payments of a file, unless there is only one, or one is reported twice. */
function entryOfFile(id: string, reports: readonly StoredReport[]): ReportEntry | undefined {
  if (reports.length < 2 || new Set(reports.map(({ endToEndId }) => endToEndId?.toLowerCase())).size < reports.length) return undefined;
  const total = minorUnits(reports.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n));
  const numbers = reports.flatMap(({ entry }) => entry.number ?? []).toSorted();
  const number = numbers.length < reports.length ? null : numbers.join(' ');
  return { id, number, name: null, total, count: reports.length, charges: null, isComplete: true };
}

function entryIdOf({ document, place, isDebit }: StoredReport): string {
  return `${document} ${place.entry} ${isDebit ? 'debits' : 'credits'}`;
}

/** It names each fact: a copy of a row, whose keys are counted at run time, is a dictionary, and what compares lines would look up each fact in it. */
function lineOf(report: StoredReport, document: ReportDocument, entry: ReportEntry): ReportedLine {
  const { id, place, account, currency, amount, charges, bookedOn, number, uetr, reference, entryReference, content, unmatched } = report;
  const { iban, payerAccount, payerName, endToEndId, isSum, isDebit, reason, credit } = report;
  const isReturn = report.takesBack || isOwnPayment(reason);
  return {
    id,
    document,
    entry,
    place,
    account,
    currency,
    amount,
    charges,
    isDebit,
    isSum,
    bookedOn,
    number,
    uetr,
    reference,
    entryReference,
    content,
    iban: iban === account || isReturn || isSum ? null : iban,
    payerAccount: isSum ? null : payerAccount,
    payerName: isSum || payerName === null ? null : comparableText(payerName),
    endToEndId: endToEndId === null ? null : comparableText(endToEndId),
    payment: idOfEndToEndId(endToEndId ?? undefined) ?? null,
    file: null,
    bookedBy: null,
    reason,
    unmatched,
    // A bank lists no transactions of a debit, and does not say how many it has.
    isBatch: batchReasons.has(reason ?? '') || (isSum && (entry.count ?? (isDebit ? 2 : 1)) > 1),
    isDoubtful: reason !== null && !isReturn,
    isReturn,
    credit: credit && { ...credit, amount: minorOf(credit.amount) },
  };
}

function entryOf(id: string, reports: readonly StoredReport[]): ReportEntry {
  const [{ entry }] = reports as [StoredReport];
  const total = minorOf(entry.total);
  return {
    ...entry,
    id,
    total,
    charges: minorOf(entry.charges),
    isComplete: total === reports.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n),
  };
}

function minorOf(text: string | null): MinorUnits | null {
  return text === null ? null : minorUnits(BigInt(text));
}

/** A text for comparison with another report of the same payment: banks write capitals, drop spaces, signs and the marks of letters, or write `UE` for `Ü`. */
export function comparableText(text: string): string {
  const letters = text
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return letters.replace(/([AOU])E/g, '$1');
}
