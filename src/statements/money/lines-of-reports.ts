import { creditOfReport, type StoredReport } from '../../ledger/bank/bank-reports.ts';
import type { NewCredit } from '../../ledger/bank/match-credits.ts';
import { isOwnPayment } from '../../ledger/bank/returns/own-payments.ts';
import { minorUnits } from '../../platform/money.ts';
import type { CreditOfLine, ReportDocument, ReportedLine, ReportEntry } from './reported-line.ts';

/** A line with the report that it is read from. */
export interface StoredLine extends ReportedLine {
  report: StoredReport;
  facts: NewCredit;
}

/** Reasons of the reader to give an entry as a whole because it has several transactions, or others than it lists. */
const batchReasons = new Set(['batch_without_details', 'details_in_other_message']);

/** Reads stored reports as lines, which share their documents and entries. */
export function linesOf(reports: readonly StoredReport[]): StoredLine[] {
  const documents = new Map<string, ReportDocument>();
  const entries = new Map<string, ReportEntry>();
  return reports.map((report) => {
    const document = documents.get(report.document) ?? documentOf(report);
    documents.set(report.document, document);
    const entryId = `${report.document} ${report.entry}`;
    const entry = entries.get(entryId) ?? entryOf(report, entryId);
    entries.set(entryId, entry);
    return lineOf(report, document, entry);
  });
}

function lineOf(report: StoredReport, document: ReportDocument, entry: ReportEntry): StoredLine {
  const facts = creditOfReport(report);
  const { iban, bankAccount, payer, endToEndId, railReason, isSum = false } = facts;
  const isReturn = isOwnPayment(railReason);
  const isNamed = iban !== undefined && iban !== bankAccount && !isReturn && !isSum;
  return {
    report,
    facts,
    id: report.id,
    document,
    entry,
    number: report.number,
    content: JSON.stringify([report.number, entry.number, report.facts]),
    currency: report.currency,
    amount: report.amount,
    bookedOn: report.bookedOn,
    iban: isNamed ? iban : null,
    payerAccount: isSum ? null : (payer.iban ?? payer.accountNumber ?? null),
    payerName: isSum ? null : (payer.name ?? null),
    endToEndId: endToEndId ?? null,
    uetr: report.uetr,
    isSum,
    isBatch: batchReasons.has(railReason ?? '') || (isSum && (entry.count ?? 1) > 1),
    isDoubtful: railReason !== undefined && !isReturn,
    isReturn,
    credit: creditOf(report),
  };
}

function documentOf({ document: id, kind, name, createdAt, page, balances }: StoredReport): ReportDocument {
  const read = Object.entries(balances).map(
    ([currency, { opening, closing }]) => [currency, { opening: minorOf(opening), closing: minorOf(closing) }] as const,
  );
  return { id, kind, name, createdAt, page, balances: Object.fromEntries(read) };
}

function minorOf(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}

function entryOf({ entryNumber: number, entryName: name, entryTotal, entryCount: count }: StoredReport, id: string): ReportEntry {
  return { id, number, name, total: entryTotal === null ? null : minorUnits(BigInt(entryTotal)), count };
}

function creditOf({ credit: reference, creditState, creditIban: iban, isFirst, isPinned }: StoredReport): CreditOfLine | null {
  if (reference === null || creditState === null) return null;
  const state = creditState === 'unmatched' ? 'open' : creditState === 'replaced' ? 'replaced' : 'spent';
  return { reference, state, iban, isFirst, isPinned };
}
