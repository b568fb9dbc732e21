import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Time } from '../design/time.tsx';
import type { OrderView } from './queries.ts';

type Delivery = OrderView['deliveries'][number];

const columns: readonly Column<Delivery>[] = [
  { id: 'created', header: 'Time', cell: ({ createdAt }) => <Time at={createdAt} show="absolute" />, width: '14rem' },
  { id: 'type', header: 'Event', cell: ({ type }) => type, width: '10rem' },
  { id: 'state', header: 'State', cell: ({ state }) => <StateBadge state={state} />, width: '8rem' },
  { id: 'attempts', header: 'Attempts', cell: ({ attempts }) => attempts, align: 'end', width: '5rem' },
  { id: 'answer', header: 'Last answer', cell: ({ lastStatus, lastError }) => lastError ?? lastStatus },
];

/** What subscribers were sent about the order, the latest first. */
export function OrderDeliveries({ deliveries }: { deliveries: OrderView['deliveries'] }) {
  return (
    <DataTable
      label="Webhook deliveries"
      columns={columns}
      rows={deliveries}
      rowKey={({ id }) => id}
      empty={<EmptyState title="No subscriber was sent anything about it." />}
    />
  );
}
