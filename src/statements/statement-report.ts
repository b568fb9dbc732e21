import { formatAmount, type MinorUnits, minorUnits } from '../platform/money.ts';
import type { SkippedItem, SkippedReason } from '../bank/iso20022/camt/statement-item.ts';
import type { RecordedCredit } from '../ledger/bank/credits.ts';
import { type FileReport, maxAlerts } from './file-report.ts';
import type { StoredLine } from './money/lines-of-reports.ts';
import type { MoneyPlan } from './money/plan-money.ts';
import type { ReportedEntry } from './reported-entry.ts';

/** Where a file reports an entry: counted over the file, from 1, and the line at which it begins. */
export interface ReportPlace {
  entry: number;
  line: number;
}

/** An entry of a file that an operator should know of. */
export interface ReportLine {
  /** Counted over the file, from 1, and where it begins; missing for a debit of an earlier file. */
  entry?: number;
  line?: number;
  outcome: 'unmatched' | 'known' | 'skipped' | 'unexplained';
  /** Of a credit: under it `mintrail bank unmatched` lists it. */
  reference?: string;
  amount?: string;
  currency?: string;
  reason: string;
}

/** What the import of a camt.053, camt.054 or camt.052 file changed. Its alerts are credits that the bank took back, and reports that contradict each other. */
export interface StatementReport extends FileReport<ReportLine> {
  /** `camt.053`, `camt.054` or `camt.052`. */
  message: string;
  counts: { entries: number; issued: number; known: number; unmatched: number; skipped: number };
  skipped: Partial<Record<SkippedReason, number>>;
  /** Decimal amounts by outcome and currency. Unknown amounts are in no sum. */
  sums: Record<'issued' | 'known' | 'unmatched', Record<string, string>>;
  /** Payments of ours that are carried out, as their booked debits show. */
  settled: number;
  /** Debits that are none of our payments: an operator must explain them. */
  unexplained: number;
  /** The first of the other credits that are unmatched; all are in the table of unmatched credits. */
  lines: ReportLine[];
}

/** Lines besides alerts. */
const maxLines = 200;

type CreditOutcome = 'issued' | 'known' | 'unmatched';

/** Collects what an import did, in bounded memory. */
export function createStatementReport() {
  const counts = { entries: 0, issued: 0, known: 0, unmatched: 0, skipped: 0 };
  const skipped: StatementReport['skipped'] = {};
  const sums: Record<CreditOutcome, Map<string, MinorUnits>> = { issued: new Map(), known: new Map(), unmatched: new Map() };
  const alerts: ReportLine[] = [];
  const lines: ReportLine[] = [];
  let settled = 0;
  let unexplained = 0;
  let omitted = 0;

  function note(list: ReportLine[], limit: number, line: ReportLine): void {
    if (list.length < limit) list.push(line);
    else omitted += 1;
  }

  function count(outcome: CreditOutcome, { amount, currency }: { amount: MinorUnits | undefined; currency: string | undefined }): void {
    counts[outcome] += 1;
    if (amount === undefined || currency === undefined) return;
    sums[outcome].set(currency, minorUnits((sums[outcome].get(currency) ?? 0n) + amount));
  }

  function addSkipped(
    source: ReportedEntry['source'],
    { reason, detail, amount, currency, endToEndId, debits = [], unreadable }: SkippedItem,
  ): void {
    counts.skipped += 1;
    skipped[reason] = (skipped[reason] ?? 0) + 1;
    if (debits.length > 0 || unreadable !== undefined) return;
    if (reason === 'debit' && amount === undefined) {
      const text = `MONEY MAY HAVE LEFT THE ACCOUNT: ${detail}, and its amount cannot be read. Nothing was done: ask the bank`;
      note(alerts, maxAlerts, { ...locationOf(source), outcome: 'skipped', ...moneyOf(amount, currency), reason: text });
    }
    // A reversal whose amount is unclear is no debit that could be applied.
    if (reason !== 'credit_reversed') return;
    const of = endToEndId === undefined ? '' : `, of the payment ${endToEndId}`;
    const text = `THE BANK TOOK A CREDIT BACK, which may have become tokens: ${detail}${of}. Nothing was done`;
    note(alerts, maxAlerts, { ...locationOf(source), outcome: 'skipped', ...moneyOf(amount, currency), reason: text });
  }

  return {
    addEntry({ source, skipped: entries }: ReportedEntry): void {
      counts.entries += 1;
      for (const item of entries) addSkipped(source, item);
    },
    /** What became of a line that reports a credit: nothing new where it has no outcome. */
    addLine({ report }: StoredLine, recorded: RecordedCredit | undefined, { money, made, alert }: MoneyPlan): void {
      const state = recorded?.state;
      const outcome = state === 'matched' ? 'issued' : state === 'unmatched' ? 'unmatched' : 'known';
      const { amount } = (recorded && made) ?? report;
      const counted = { amount: amount ?? undefined, currency: report.currency ?? undefined };
      count(outcome, counted);
      const place = { entry: report.entry, line: report.line, outcome, reference: recorded?.reference ?? report.reference };
      const line = { ...place, ...moneyOf(counted.amount, counted.currency) };
      if (alert !== undefined) note(alerts, maxAlerts, { ...line, outcome: 'known', reason: alert });
      if (outcome !== 'unmatched') return;
      const isAlert = money.hold !== undefined || money.left !== undefined || money.isExceeded;
      note(isAlert ? alerts : lines, isAlert ? maxAlerts : maxLines, { ...line, outcome, reason: recorded?.reason ?? '' });
    },
    addSettled(payments: number): void {
      settled += payments;
    },
    /** A debit that an operator must explain. */
    addUnexplained(
      { entry, line }: ReportPlace,
      { reference, amount, currency }: { reference: string; amount?: MinorUnits; currency: string },
      why: string,
    ): void {
      unexplained += 1;
      const reason = `MONEY HAS LEFT THE ACCOUNT: ${why}. Explain it by \`mintrail bank explain\``;
      note(alerts, maxAlerts, { entry, line, outcome: 'unexplained', reference, ...moneyOf(amount, currency), reason });
    },
    /** What somebody should know of a debit, or of a credit that was taken back: one of an entry of this file, or of an earlier file. */
    addAlert(
      place: ReportPlace | undefined,
      { reference, amount, currency }: { reference: string; amount: MinorUnits | null; currency: string | null },
      reason: string,
    ): void {
      const money = moneyOf(amount ?? undefined, currency ?? undefined);
      note(alerts, maxAlerts, { ...(place && { entry: place.entry, line: place.line }), outcome: 'known', reference, ...money, reason });
    },
    entries: () => counts.entries,
    finish(message: string) {
      const texts = Object.entries(sums).map(([outcome, sum]) => [outcome, textsOf(sum)] as const);
      const sumTexts = Object.fromEntries(texts) as StatementReport['sums'];
      alerts.sort(inFile);
      lines.sort(inFile);
      return { message, counts, skipped, sums: sumTexts, settled, unexplained, alerts, lines, omitted };
    },
  };
}

/** Lines are noted as their money is decided, and read as they stand in the file. */
function inFile(one: ReportLine, other: ReportLine): number {
  return (one.entry ?? 0) - (other.entry ?? 0);
}

function textsOf(sums: ReadonlyMap<string, MinorUnits>): Record<string, string> {
  return Object.fromEntries(
    [...sums].sort(([first], [second]) => first.localeCompare(second)).map(([currency, sum]) => [currency, formatAmount(sum)]),
  );
}

function locationOf({ number, line }: ReportedEntry['source']) {
  return { entry: number, line };
}

function moneyOf(amount: MinorUnits | undefined, currency: string | undefined) {
  return { ...(amount !== undefined && { amount: formatAmount(amount) }), ...(currency !== undefined && { currency }) };
}
