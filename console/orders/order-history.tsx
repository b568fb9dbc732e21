import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Copyable, Hash } from '../design/hash.tsx';
import { Time } from '../design/time.tsx';
import type { OrderView } from './queries.ts';

type Entry = OrderView['history'][number] & { key: string };

const columns: readonly Column<Entry>[] = [
  { id: 'at', header: 'Time', cell: ({ at }) => <Time at={at} show="absolute" />, width: '14rem' },
  { id: 'type', header: 'What', cell: ({ type }) => type.replace('.', ' '), width: '10rem' },
  { id: 'leg', header: 'Leg', cell: ({ leg, chain }) => [leg, chain].filter(Boolean).join(' on '), width: '10rem' },
  { id: 'reference', header: 'Transaction or payment', cell: (entry) => <Reference entry={entry} />, width: '12rem' },
  { id: 'remark', header: 'Remark', cell: ({ reason, bankStatus, block }) => reason ?? bankStatus ?? (block && `block ${block}`) },
];

/** What happened to the order, the oldest first. */
export function OrderHistory({ history }: { history: OrderView['history'] }) {
  const rows = history.map((entry, index) => ({ ...entry, key: `${index} ${entry.type}` }));
  return (
    <DataTable
      label="History"
      columns={columns}
      rows={rows}
      rowKey={({ key }) => key}
      empty={<EmptyState title="Nothing has happened yet." />}
    />
  );
}

function Reference({ entry: { txHash, endToEndId, chain } }: { entry: Entry }) {
  if (txHash !== null) return <Hash value={txHash} chain={chain ?? undefined} />;
  return endToEndId === null ? null : <Copyable value={endToEndId} shown={`${endToEndId.slice(0, 8)}…`} />;
}
