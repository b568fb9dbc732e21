import { type Column, DataTable } from '../design/data-table.tsx';
import { FigureTile, FigureTiles } from '../design/figure-tile.tsx';
import { Copyable } from '../design/hash.tsx';
import { Money } from '../design/money.tsx';
import type { FileReport } from './queries.ts';

/** An entry of either kind of report, as it is shown. */
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

/** What an import did: its figures, and the entries that somebody should look at. */
export function FileReportView({ report }: { report: FileReport }) {
  const lines = linesOf(report);
  return (
    <>
      <FigureTiles>
        {Object.entries(report.counts).map(([name, count]) => (
          <FigureTile key={name} name={name} note={'sums' in report ? sumsText(report.sums, name) : undefined}>
            {count}
          </FigureTile>
        ))}
        {'settled' in report && <FigureTile name="payments settled">{report.settled}</FigureTile>}
        {'unexplained' in report && <FigureTile name="debits to explain">{report.unexplained}</FigureTile>}
      </FigureTiles>
      {lines.length > 0 && (
        <DataTable label="Entries of the report" columns={columns} rows={lines} rowKey={({ key }) => key} empty={null} />
      )}
      {report.omitted > 0 && <p>And {report.omitted} more, which the report has no room for.</p>}
    </>
  );
}

function linesOf(report: FileReport): Line[] {
  if (!('lines' in report))
    return report.alerts.map(({ line, endToEndId, messageId, status, reason }, index) => ({
      key: String(index),
      where: `line ${line}`,
      outcome: status === '' ? 'no status' : status,
      reason,
      reference: endToEndId ?? messageId,
      amount: undefined,
      currency: undefined,
    }));
  return [...report.alerts, ...report.lines].map(({ entry, line, outcome, reason, reference, amount, currency }, index) => ({
    key: String(index),
    where: entry === undefined ? 'an earlier file' : `entry ${entry}, line ${line}`,
    outcome,
    reason,
    reference,
    amount,
    currency,
  }));
}

function sumsText(sums: Record<string, Record<string, string>>, name: string): string | undefined {
  const texts = Object.entries(sums[name] ?? {}).map(([currency, sum]) => `${sum} ${currency.toUpperCase()}`);
  return texts.length === 0 ? undefined : texts.join(', ');
}
