import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Section } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import type { Status } from './queries.ts';

type Component = Status['components'][number];

const columns: readonly Column<Component>[] = [
  { id: 'component', header: 'Process', cell: ({ component }) => component, width: 'minmax(4.5rem, 1fr)' },
  { id: 'chain', header: 'Network', cell: ({ chain }) => (chain === '' ? 'all' : chain), width: 'minmax(6.5rem, 1fr)' },
  { id: 'ok', header: 'State', cell: ({ ok }) => <StateBadge state={ok ? 'ok' : 'failed'} />, width: '4.25rem' },
  {
    id: 'head',
    header: 'Block',
    cell: ({ head, block, behind }) => blockOf(head, block, behind),
    align: 'end',
    width: 'minmax(3.5rem, 1fr)',
  },
  { id: 'lanes', header: 'In flight', cell: ({ lanes }) => inFlight(lanes), align: 'end', width: '3.25rem' },
  { id: 'age', header: 'Heartbeat', cell: ({ ageSeconds }) => `${ageSeconds} s ago`, align: 'end', width: '4rem' },
];

/** The processes with their heartbeats, their lanes and how far the indexers are behind. */
export function Components({ status: { components } }: { status: Status }) {
  return (
    <Section title="Processes" flush>
      <DataTable
        label="Processes"
        columns={columns}
        rows={components}
        rowKey={({ component, chain, head }) => `${component} ${chain} ${head}`}
        empty={<EmptyState title="No process has written a heartbeat." />}
      />
    </Section>
  );
}

function blockOf(head: string | null, block: string | null, behind: string | null): string {
  if (behind !== null && behind !== '0') return `${block}, ${behind} behind`;
  return block ?? head ?? '–';
}

function inFlight(lanes: Component['lanes']): string {
  if (lanes.length === 0) return '–';
  return String(lanes.reduce((sum, lane) => sum + lane.inFlight, 0));
}
