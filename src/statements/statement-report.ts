import { formatAmount, type MinorUnits, minorUnits } from '../platform/money.ts';
import type { SkippedItem, SkippedReason } from '../bank/iso20022/camt/entry.ts';
import { withoutUndefined } from '../bank/without-undefined.ts';
import type { RecordedCredit } from '../ledger/bank/credits.ts';
import { createLines, type FileReport } from './file-report.ts';
import type { ReportedLine, ReportPlace } from '../ledger/bank/reported-line.ts';
import type { MoneyPlan } from './money/plan-money.ts';
import type { ReportedEntry } from './reported-entry.ts';

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

/** Money of which a line is reported, as far as it is known. */
interface NamedMoney {
  reference?: string;
  amount?: MinorUnits | null;
  currency?: string | null;
}

/** Collects what an import did, in bounded memory. */
export function createStatementReport() {
  const counts = { entries: 0, issued: 0, known: 0, unmatched: 0, skipped: 0 };
  const skipped: StatementReport['skipped'] = {};
  const sums: Record<CreditOutcome, Map<string, MinorUnits>> = { issued: new Map(), known: new Map(), unmatched: new Map() };
  const alerts = createLines<ReportLine>();
  const lines = createLines<ReportLine>(maxLines);
  let settled = 0;
  let unexplained = 0;

  function addSkipped(place: ReportPlace, { reason, detail, amount, currency, endToEndId, debits = [] }: SkippedItem): void {
    counts.skipped += 1;
    skipped[reason] = (skipped[reason] ?? 0) + 1;
    if (debits.length > 0) return;
    const alert = (why: string) =>
      alerts.add(lineOf(place, 'skipped', { ...(amount !== undefined && { amount }), ...(currency !== undefined && { currency }) }, why));
    if (reason === 'debit' && amount === undefined)
      alert(`MONEY MAY HAVE LEFT THE ACCOUNT: ${detail}, and its amount cannot be read. Nothing was done: ask the bank`);
    // A reversal whose amount is unclear is no debit that could be applied.
    const of = endToEndId === undefined ? '' : `, of the payment ${endToEndId}`;
    if (reason === 'credit_reversed') alert(`THE BANK TOOK A CREDIT BACK, which may have become tokens: ${detail}${of}. Nothing was done`);
  }

  return {
    addEntry({ source: { number, line }, skipped: items }: ReportedEntry): void {
      counts.entries += 1;
      for (const item of items) addSkipped({ entry: number, line }, item);
    },
    /** What became of a line that reports a credit: nothing new where it has no outcome. */
    addLine(reported: ReportedLine, recorded: RecordedCredit | undefined, { money, made, alert }: MoneyPlan): void {
      const outcome = ({ matched: 'issued', unmatched: 'unmatched' } as const)[recorded?.state as string] ?? 'known';
      const { amount } = recorded === undefined ? reported : made;
      const { place, currency } = reported;
      counts[outcome] += 1;
      if (amount !== null && currency !== null) sums[outcome].set(currency, minorUnits((sums[outcome].get(currency) ?? 0n) + amount));
      const named = { reference: recorded?.reference ?? reported.reference, amount, currency };
      if (alert !== undefined) alerts.add(lineOf(place, 'known', named, alert));
      if (outcome !== 'unmatched') return;
      const isAlert = money.hold !== undefined || money.left !== undefined || money.isExceeded;
      (isAlert ? alerts : lines).add(lineOf(place, outcome, named, recorded?.reason ?? ''));
    },
    addSettled(payments: number): void {
      settled += payments;
    },
    /** A debit that an operator must explain. */
    addUnexplained(place: ReportPlace | undefined, debit: NamedMoney, why: string): void {
      unexplained += 1;
      alerts.add(lineOf(place, 'unexplained', debit, `MONEY HAS LEFT THE ACCOUNT: ${why}. Explain it by \`mintrail bank explain\``));
    },
    /** What a statement lists more of a credit than was issued, which waits for an operator. */
    addRest(place: ReportPlace | undefined, credit: NamedMoney, why: string): void {
      alerts.add(lineOf(place, 'unmatched', credit, why));
    },
    /** What somebody should know of a debit, or of a credit that was taken back: one of an entry of this file, or of an earlier file. */
    addAlert(place: ReportPlace | undefined, money: NamedMoney, reason: string): void {
      alerts.add(lineOf(place, 'known', money, reason));
    },
    entries: () => counts.entries,
    finish(message: string) {
      const texts = Object.entries(sums).map(([outcome, sum]) => [outcome, textsOf(sum)] as const);
      const sumTexts = Object.fromEntries(texts) as StatementReport['sums'];
      const [inAlerts, inLines] = [alerts.lines.toSorted(inFile), lines.lines.toSorted(inFile)];
      const omitted = alerts.omitted() + lines.omitted();
      return { message, counts, skipped, sums: sumTexts, settled, unexplained, alerts: inAlerts, lines: inLines, omitted };
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

function lineOf(
  place: ReportPlace | undefined,
  outcome: ReportLine['outcome'],
  { reference, amount, currency }: NamedMoney,
  reason: string,
): ReportLine {
  const amountText = amount === undefined || amount === null ? undefined : formatAmount(amount);
  return withoutUndefined({ ...place, outcome, reference, amount: amountText, currency: currency ?? undefined, reason });
}
