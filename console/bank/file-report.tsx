import { type Column, DataTable } from '../design/data-table.tsx';
import { FigureTile, FigureTiles } from '../design/figure-tile.tsx';
import { Copyable } from '../design/hash.tsx';
import { Money } from '../design/money.tsx';
import type { FileReport } from './queries.ts';

/** An entry of any kind of report, as it is shown. */
interface Line {
  key: string;
  where: string;
  outcome: string;
  reason: string;
  reference: string | undefined;
  amount: string | undefined;
  currency: string | undefined;
}

const columns: readonly Column<Line>[] = [
  { id: 'where', header: 'Where', cell: ({ where }) => where, width: '9rem' },
  { id: 'outcome', header: 'Outcome', cell: ({ outcome }) => outcome, width: '7rem' },
  { id: 'reason', header: 'Why', cell: ({ reason }) => reason, width: 'minmax(14rem, 3fr)' },
  {
    id: 'reference',
    header: 'Reference',
    cell: ({ reference }) => (reference === undefined ? '–' : <Copyable value={reference} />),
    width: 'minmax(8rem, 1fr)',
  },
  {
    id: 'amount',
    header: 'Amount',
    cell: ({ amount, currency }) => (amount === undefined ? '–' : <Money amount={amount} currency={currency} />),
    align: 'end',
    width: '9rem',
  },
];

/** What an import did: its figures but for zeros, and the entries that somebody should look at. */
export function FileReportView({ report }: { report: FileReport }) {
  const lines = linesOf(report);
  const figures = figuresOf(report);
  return (
    <>
      {figures.length === 0 && <p>It has no entries.</p>}
      <FigureTiles>
        {figures.map(({ key, name, count }) => (
          <FigureTile key={key} name={name} note={'sums' in report ? sumsText(report.sums, key) : undefined}>
            {count}
          </FigureTile>
        ))}
      </FigureTiles>
      {lines.length > 0 && (
        <DataTable label="Entries of the report" columns={columns} rows={lines} rowKey={({ key }) => key} empty={null} />
      )}
      {report.omitted > 0 && <p>And {report.omitted} more, which the report has no room for.</p>}
    </>
  );
}

/** What a report counts, in words. */
const figureNames = {
  entries: 'Entries',
  issued: 'Issued',
  accepted: 'Accepted',
  refused: 'Refused',
  open: 'Open',
  recalls: 'Recalls',
  known: 'Known',
  unmatched: 'Unmatched',
  skipped: 'Skipped',
  settled: 'Payments settled',
  unexplained: 'Debits to explain',
  alerts: 'To be looked at',
};

/** What there is none of is left out. */
function figuresOf({ counts, ...report }: FileReport): { key: string; name: string; count: number }[] {
  const all: Record<string, number> = {
    ...counts,
    ...('settled' in report && { settled: report.settled, unexplained: report.unexplained }),
  };
  return Object.entries(figureNames).flatMap(([key, name]) => {
    const count = all[key] ?? 0;
    return count > 0 ? [{ key, name, count }] : [];
  });
}

function linesOf(report: FileReport): Line[] {
  if ('lines' in report)
    return [...report.alerts, ...report.lines].map(({ entry, line, outcome, reason, reference, amount, currency }, index) => ({
      key: String(index),
      where: entry === undefined ? 'an earlier file' : `entry ${entry}, line ${line}`,
      outcome,
      reason,
      reference,
      amount,
      currency,
    }));
  if (report.message === 'camt.056')
    return report.alerts.map(({ line, caseId, endToEndId, amount, currency, reason }, index) => ({
      key: String(index),
      where: `line ${line}`,
      outcome: 'recall',
      reason,
      reference: endToEndId ?? caseId,
      amount,
      currency,
    }));
  return report.alerts.map(({ line, endToEndId, messageId, status, reason }, index) => ({
    key: String(index),
    where: `line ${line}`,
    outcome: status === '' ? 'no status' : status,
    reason,
    reference: endToEndId ?? messageId,
    amount: undefined,
    currency: undefined,
  }));
}

function sumsText(sums: Record<string, Record<string, string>>, name: string): string | undefined {
  const texts = Object.entries(sums[name] ?? {}).map(([currency, sum]) => `${sum} ${currency.toUpperCase()}`);
  return texts.length === 0 ? undefined : texts.join(', ');
}
