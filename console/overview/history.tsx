import { useSuspenseQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Chart, type Series } from '../design/chart.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { groupDigits } from '../design/money.tsx';
import { Columns, Section } from '../design/page.tsx';
import { Segmented } from '../design/segmented.tsx';
import { formatTime } from '../design/time.tsx';
import { firstRange, historyQuery, type Range } from './queries.ts';

const ranges: readonly { value: Range; label: string }[] = [
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'quarter', label: 'Quarter' },
];

/** What was issued and redeemed by network, and money under way, over time. */
export function History({ currencies }: { currencies: readonly string[] }) {
  const [currency, setCurrency] = useState(currencies[0] ?? 'eur');
  const [range, setRange] = useState<Range>(firstRange);
  const { data } = useSuspenseQuery(historyQuery(currency, range));
  const { times, supply, underWay } = useMemo(() => seriesOf(data.samples), [data]);
  const name = currency.toUpperCase();
  const since = data.samples[0] === undefined ? '' : ` since ${formatTime(data.samples[0].at)}`;
  const empty = <EmptyState title="Not enough samples yet.">A sample is kept every minute.</EmptyState>;
  const controls = (
    <>
      {currencies.length > 1 && (
        <Segmented
          label="Currency of the charts"
          options={currencies.map((value) => ({ value, label: value.toUpperCase() }))}
          value={currency}
          onChange={setCurrency}
        />
      )}
      <Segmented label="Range of the charts" options={ranges} value={range} onChange={setRange} />
    </>
  );
  return (
    <Section title={`${name} over time`} actions={controls}>
      <Columns>
        <Chart label={`Tokens issued less redeemed${since}, ${name}`} times={times} series={supply} format={formatChange} empty={empty} />
        <Chart label={`Money under way, ${name}`} times={times} series={underWay} format={formatAxis} empty={empty} />
      </Columns>
    </Section>
  );
}

interface Sample {
  at: string;
  underWay: string;
  circulation: Record<string, string>;
}

/**
 * A chart draws numbers: exact enough for a picture, and never for more. Of the tokens it draws the change since the first sample: what there are is in the
 * reserve above, and beside a network with a million tokens nothing would be seen of the others.
 */
function seriesOf(samples: readonly Sample[]): { times: number[]; supply: Series[]; underWay: Series[] } {
  const networks = [...new Set(samples.flatMap(({ circulation }) => Object.keys(circulation)))];
  return {
    times: samples.map(({ at }) => Date.parse(at) / 1000),
    supply: networks.map((label) => {
      // A network that a sample does not have had no tokens yet.
      const values = samples.map(({ circulation }) => Number(circulation[label] ?? 0));
      return { label, values: values.map((value) => Math.round((value - (values[0] ?? 0)) * 100) / 100) };
    }),
    underWay: [{ label: 'under way', values: samples.map((sample) => Number(sample.underWay)) }],
  };
}

function formatChange(value: number): string {
  return value > 0 ? `+${formatAxis(value)}` : formatAxis(value);
}

function formatAxis(value: number): string {
  return groupDigits(Number.isInteger(value) ? String(value) : value.toFixed(2));
}
