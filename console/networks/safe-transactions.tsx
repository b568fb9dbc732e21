import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { morePartsOf } from '../api/more-parts.ts';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Address } from '../design/hash.tsx';
import { Section } from '../design/page.tsx';
import { StateBadge, type Tone } from '../design/state-badge.tsx';
import { Time } from '../design/time.tsx';
import textStyles from '../design/text.module.css';
import { type SafeTransaction, safeTransactionsQuery } from './queries.ts';

const route = getRouteApi('/app/networks');

/** The transactions of the Safes that administer tokens. */
export function SafeTransactions() {
  const { transactions: shown } = route.useSearch();
  const navigate = useNavigate();
  const list = useInfiniteQuery(safeTransactionsQuery(shown === 'all' ? 'all' : 'open'));
  const { data, error } = list;
  const rows = data?.pages.flatMap(({ transactions }) => transactions) ?? [];
  if (error && !data) throw error;
  return (
    <Section
      title="Transactions of the admin Safe"
      flush
      actions={
        shown === 'all' ? (
          <Link to="/networks" search={{}}>
            Show those that wait
          </Link>
        ) : (
          <Link to="/networks" search={{ transactions: 'all' }}>
            Show all
          </Link>
        )
      }
    >
      <DataTable
        label="Transactions of the admin Safe"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/networks/transactions/$id', params: { id } })}
        {...morePartsOf(list)}
        isLoading={list.isPending || list.isFetchingNextPage}
        empty={
          <EmptyState title={shown === 'all' ? 'Nothing was prepared yet.' : 'Nothing waits for the owners of a Safe.'}>
            An administrator prepares a change of a token here; the owners of its Safe sign it.
          </EmptyState>
        }
      />
    </Section>
  );
}

const columns: Column<SafeTransaction>[] = [
  {
    id: 'what',
    header: 'What it does',
    cell: ({ id, summary, reason }) => (
      <>
        <Link to="/networks/transactions/$id" params={{ id }}>
          {summary}
        </Link>
        {reason && <span className={textStyles.note}>{reason}</span>}
      </>
    ),
    width: 'minmax(14rem, 4fr)',
  },
  {
    id: 'safe',
    header: 'Safe and nonce',
    cell: ({ safe, chain, nonce, network }) => (
      <>
        <Address value={safe} chain={chain} />
        <span className={textStyles.note}>
          {network} · transaction {nonce}
        </span>
      </>
    ),
    width: 'minmax(10rem, 1fr)',
  },
  { id: 'signatures', header: 'Signed', cell: ({ signatures }) => signatures, align: 'end', width: '4rem' },
  {
    id: 'prepared',
    header: 'Prepared',
    cell: ({ preparedAt, preparedBy }) => (
      <>
        <Time at={preparedAt} />
        <span className={textStyles.note}>{preparedBy}</span>
      </>
    ),
    width: '8rem',
  },
  { id: 'state', header: 'State', cell: (transaction) => <SafeTransactionState {...transaction} />, width: 'minmax(9rem, 1fr)' },
];

/** The state of a transaction of a Safe, in words. */
export function SafeTransactionState({
  state,
  isUnconfirmed,
  isReady,
  readyAt,
}: Pick<SafeTransaction, 'state' | 'isUnconfirmed' | 'isReady' | 'readyAt'>) {
  if (state === 'open' && isUnconfirmed) return <StateBadge state="mined">nonce used, not confirmed</StateBadge>;
  if (state === 'scheduled')
    return (
      <>
        <StateBadge state="waiting" tone={isReady ? 'attention' : 'waiting'}>
          {isReady ? 'ready to carry out' : 'in the timelock'}
        </StateBadge>
        {!isReady && readyAt && (
          <span className={textStyles.note}>
            until <Time at={readyAt} show="absolute" />
          </span>
        )}
      </>
    );
  const [tone, text] = states[state];
  return (
    <StateBadge state={state} tone={tone}>
      {text}
    </StateBadge>
  );
}

const states: Record<Exclude<SafeTransaction['state'], 'scheduled'>, [Tone, string]> = {
  open: ['waiting', 'to be signed'],
  executed: ['positive', 'executed'],
  replaced: ['neutral', 'replaced by another'],
  cancelled: ['neutral', 'cancelled in the timelock'],
  withdrawn: ['neutral', 'withdrawn'],
};
