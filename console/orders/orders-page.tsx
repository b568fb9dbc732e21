import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import { morePartsOf } from '../api/more-parts.ts';
import { Button } from '../design/button.tsx';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Money } from '../design/money.tsx';
import { Page } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { formatTime, Time } from '../design/time.tsx';
import { OrderFilters } from './order-filters.tsx';
import styles from './orders-page.module.css';
import { type ListedOrder, type OrderFilter, ordersQuery } from './queries.ts';
import { SearchCredits } from './search-credits.tsx';
import { SearchMeaning } from './search-meaning.tsx';

const columns: readonly Column<ListedOrder>[] = [
  { id: 'placed', header: 'Placed', cell: ({ placedAt }) => <Time at={placedAt} />, width: '6rem' },
  { id: 'state', header: 'State', cell: ({ state }) => <StateBadge state={state} />, width: '7rem' },
  { id: 'kind', header: 'Kind', cell: ({ kind }) => kind, width: '4.5rem' },
  {
    id: 'customer',
    header: 'Customer',
    cell: ({ profileName }) => <span className={styles.line}>{profileName}</span>,
    width: 'minmax(6rem, 1fr)',
  },
  { id: 'counterpart', header: 'Payer or payee', cell: (order) => <Counterpart order={order} />, width: 'minmax(10.75rem, 1.6fr)' },
  { id: 'chain', header: 'Network', cell: ({ chain }) => chain, width: '6.5rem' },
  {
    id: 'memo',
    header: 'Memo',
    cell: ({ memo }) => <span className={styles.line}>{memo}</span>,
    width: 'minmax(6rem, 1fr)',
    wideOnly: true,
  },
  {
    id: 'amount',
    header: 'Amount',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    align: 'end',
    width: '8rem',
  },
];

/** All orders, the latest first: searched by anything, narrowed by filters, as many as there are. */
export function OrdersPage() {
  const filter: OrderFilter = useSearch({ from: '/app/orders' });
  // The rows before stay while those of another filter are read.
  const shown = useDeferredValue(filter);
  const list = useSuspenseInfiniteQuery(ordersQuery(shown));
  const { data } = list;
  const more = morePartsOf(list);
  const navigate = useNavigate();
  const rows = useMemo(() => data.pages.flatMap(({ orders }) => orders), [data]);
  const last = data.pages.at(-1);
  // A part without a match ends the scrolling: further ones are read when they are asked for.
  const endsWithoutMatch = last?.orders.length === 0 && list.hasNextPage;
  const search = data.pages[0]?.search;
  return (
    <Page title="Orders">
      <OrderFilters key={JSON.stringify(filter)} filter={filter} />
      {filter.profile !== undefined && <OfCustomer filter={filter} name={rows[0]?.profileName ?? filter.profile} />}
      {search && <SearchMeaning text={shown.q ?? ''} search={search} filter={filter} />}
      <SearchCredits credits={data.pages[0]?.credits ?? []} />
      <DataTable
        label="Orders"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/orders/$id', params: { id } })}
        {...more}
        hasMore={more.hasMore && !endsWithoutMatch}
        empty={<EmptyState title={search ? 'No order has that.' : 'No orders.'}>{emptyText(filter)}</EmptyState>}
      />
      {endsWithoutMatch && last.searchedSince !== undefined && (
        <div className={styles.further}>
          <span>Everything since {formatTime(last.searchedSince)} has been looked at.</span>
          <Button disabled={list.isFetching} onClick={() => void list.fetchNextPage()}>
            Search further back
          </Button>
        </div>
      )}
    </Page>
  );
}

function OfCustomer({ filter, name }: { filter: OrderFilter; name: string }) {
  const others = Object.fromEntries(Object.entries(filter).filter(([field]) => field !== 'profile'));
  return (
    <p className={styles.meaning}>
      <span>
        Only orders of <strong>{name}</strong>
      </span>
      <Link to="/orders" search={others}>
        Of all customers
      </Link>
    </p>
  );
}

function Counterpart({ order: { counterpartName, counterpartIban } }: { order: ListedOrder }) {
  return (
    <>
      <span className={styles.line}>{counterpartName}</span>
      {counterpartIban !== null && <span className={styles.iban}>{counterpartIban}</span>}
    </>
  );
}

function emptyText({ q, ...filter }: OrderFilter): string {
  if (Object.keys(filter).length > 0) return 'Another filter may show some.';
  return q === undefined
    ? 'They appear when money arrives at an IBAN, or when a customer redeems tokens.'
    : 'Search by an id, hash, IBAN, address, reference, amount, whole memo or name.';
}
