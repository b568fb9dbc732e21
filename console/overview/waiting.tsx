import { formatCount } from '../design/count.ts';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Section } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { formatDuration } from '../design/time.tsx';
import type { Status } from './queries.ts';

type OpenLegs = Status['openLegs'][number];

const columns: readonly Column<OpenLegs>[] = [
  { id: 'kind', header: 'Leg', cell: ({ kind }) => kind, width: 'minmax(4rem, 1fr)' },
  { id: 'chain', header: 'Network', cell: ({ chain }) => (chain === '' ? 'bank' : chain), width: 'minmax(5rem, 1fr)' },
  { id: 'state', header: 'State', cell: ({ state }) => <StateBadge state={state} />, width: '6.5rem' },
  { id: 'count', header: 'Count', cell: ({ count, isMore }) => `${formatCount(count)}${isMore ? '+' : ''}`, align: 'end', width: '4rem' },
  { id: 'oldest', header: 'Oldest', cell: ({ oldestSeconds }) => formatDuration(oldestSeconds * 1000), align: 'end', width: '5rem' },
];

/** The legs that are not done, by network, kind and state. */
export function Waiting({ status: { openLegs } }: { status: Status }) {
  return (
    <Section title="What waits" flush>
      <DataTable
        label="Open legs"
        columns={columns}
        rows={openLegs}
        rowKey={({ kind, chain, state }) => `${kind} ${chain} ${state}`}
        empty={<EmptyState title="Nothing waits.">Every leg of every order is done.</EmptyState>}
      />
    </Section>
  );
}
