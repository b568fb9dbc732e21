import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { morePartsOf } from '../api/more-parts.ts';
import { ActionButton } from '../design/action-button.tsx';
import { formatCount, mostCounted } from '../design/count.ts';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { SelectField } from '../design/form-field.tsx';
import { Page, Section, Toolbar } from '../design/page.tsx';
import { StateBadge, toneOf } from '../design/state-badge.tsx';
import { formatDuration, Time } from '../design/time.tsx';
import textStyles from '../design/text.module.css';
import { deliveriesQuery, subscriptionsQuery } from './queries.ts';
import { type DeliverySearch, deliveryStates, eventTypes } from './delivery-search.ts';
import styles from './webhooks.module.css';

type Subscription = Awaited<ReturnType<NonNullable<typeof subscriptionsQuery.queryFn>>>['subscriptions'][number];
type Delivery = Awaited<ReturnType<NonNullable<ReturnType<typeof deliveriesQuery>['queryFn']>>>['rows'][number];

const route = getRouteApi('/app/webhooks');

/** Who receives events, and what became of the deliveries. */
export function WebhooksPage() {
  const { data } = useSuspenseQuery(subscriptionsQuery);
  return (
    <Page title="Webhooks">
      <Section title="Subscriptions" flush>
        <Subscriptions subscriptions={data.subscriptions} />
      </Section>
      <Deliveries subscriptions={data.subscriptions} />
    </Page>
  );
}

function Subscriptions({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  const navigate = useNavigate();
  return (
    <DataTable
      label="Subscriptions"
      columns={subscriptionColumns}
      rows={subscriptions}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: '/webhooks', search: { subscription: id }, resetScroll: false })}
      empty={<EmptyState title="No subscriptions.">Applications create them by the API.</EmptyState>}
    />
  );
}

const subscriptionColumns: Column<Subscription>[] = [
  { id: 'application', header: 'Application', cell: ({ applicationName }) => applicationName, width: 'minmax(7rem, 1fr)' },
  {
    id: 'url',
    header: 'Receiver',
    cell: ({ url, origin }) => <span className={styles.url}>{url ?? origin}</span>,
    width: 'minmax(9rem, 2fr)',
  },
  { id: 'types', header: 'Events', cell: ({ types }) => <Types types={types} />, width: 'minmax(7rem, 1fr)', wideOnly: true },
  { id: 'state', header: 'State', cell: (subscription) => <State subscription={subscription} />, width: '5.5rem' },
  {
    id: 'pending',
    header: 'Waiting',
    cell: ({ pending, oldestSeconds }) => <Pending count={pending} oldestSeconds={oldestSeconds} />,
    align: 'end',
    width: '6rem',
  },
  {
    id: 'failed',
    header: 'Failed, 24 h',
    cell: ({ failed, lastError }) => <Failed count={failed} lastError={lastError} />,
    align: 'end',
    width: '7rem',
  },
  { id: 'do', header: 'Replay', cell: (subscription) => <ReplayFailed subscription={subscription} />, align: 'end', width: '8.5rem' },
];

function Types({ types }: { types: readonly string[] }) {
  return <span className={textStyles.soft}>{types.join(', ')}</span>;
}

function State({ subscription: { state, failing, inactiveReason, pausedUntil } }: { subscription: Subscription }) {
  return (
    <>
      {state === 'active' && failing ? <StateBadge state="failing" tone="negative" /> : <StateBadge state={state} />}
      {inactiveReason && <span className={textStyles.note}>{inactiveReason}</span>}
      {pausedUntil && (
        <span className={textStyles.note}>
          its receiver asked for a pause until <Time at={pausedUntil} />
        </span>
      )}
    </>
  );
}

function Pending({ count, oldestSeconds }: { count: number; oldestSeconds: number | null }) {
  if (count === 0 || oldestSeconds === null) return <span className={textStyles.soft}>none</span>;
  return (
    <>
      {formatCount(count, mostCounted.overdue)}
      <span className={textStyles.note}>oldest {formatDuration(oldestSeconds * 1000)}</span>
    </>
  );
}

function Failed({ count, lastError }: { count: number; lastError: string | null }) {
  if (count === 0) return <span className={textStyles.soft}>none</span>;
  return (
    <>
      {formatCount(count, mostCounted.overdue)}
      {lastError && <span className={textStyles.note}>{lastError}</span>}
    </>
  );
}

function ReplayFailed({ subscription: { id, state } }: { subscription: Subscription }) {
  if (state !== 'active') return null;
  return (
    <ActionButton
      action="webhooks.replay"
      label="Replay failed"
      title="Replay all failed deliveries"
      lead="Every delivery of this subscription that was given up is sent again. The receiver knows a repeated event by its webhook-id."
      input={{ subscription: id }}
      reason={false}
      renderResult={(result) => <ReplayResult result={result as { replayed: string[]; hasMore: boolean }} />}
    />
  );
}

function ReplayResult({ result: { replayed, hasMore } }: { result: { replayed: string[]; hasMore: boolean } }) {
  return (
    <p>
      {`${replayed.length} ${replayed.length === 1 ? 'delivery is' : 'deliveries are'} sent again.`}
      {hasMore && ' There are more: replay again.'}
    </p>
  );
}

function Deliveries({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  const search = route.useSearch();
  const navigate = useNavigate();
  const list = useInfiniteQuery(deliveriesQuery(search));
  const { data } = list;
  const filter = (changed: { [Name in keyof DeliverySearch]: string }) =>
    void navigate({ to: '/webhooks', search: withoutEmpty({ ...search, ...changed }), replace: true, resetScroll: false });
  const total = data?.pages[0];
  return (
    <Section title={total ? `Deliveries · ${total.isTotalEstimated ? 'about ' : ''}${total.total}` : 'Deliveries'} flush>
      <div className={styles.filters}>
        <Toolbar>
          <SelectField
            name="subscription"
            label="Subscription"
            value={search.subscription ?? ''}
            onChange={(event) => filter({ subscription: event.currentTarget.value })}
            options={[
              { value: '', label: 'All' },
              ...subscriptions.map(({ id, applicationName, origin }) => ({ value: id, label: `${applicationName} · ${origin}` })),
            ]}
          />
          <SelectField
            name="state"
            label="State"
            value={search.state ?? ''}
            onChange={(event) => filter({ state: event.currentTarget.value })}
            options={['', ...deliveryStates].map((state) => ({ value: state, label: state || 'All' }))}
          />
          <SelectField
            name="type"
            label="Event"
            value={search.type ?? ''}
            onChange={(event) => filter({ type: event.currentTarget.value })}
            options={['', ...eventTypes].map((type) => ({ value: type, label: type || 'All' }))}
          />
        </Toolbar>
      </div>
      <DataTable
        label="Deliveries"
        columns={deliveryColumns}
        rows={data?.pages.flatMap(({ rows }) => rows) ?? []}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/webhooks/deliveries/$id', params: { id } })}
        {...morePartsOf(list)}
        isLoading={list.isPending || list.isFetchingNextPage}
        empty={
          <EmptyState title="No deliveries.">
            {Object.keys(search).length > 0 ? 'None fits the filters.' : 'They appear with the first event of a subscriber.'}
          </EmptyState>
        }
      />
    </Section>
  );
}

const deliveryColumns: Column<Delivery>[] = [
  { id: 'created', header: 'Made', cell: ({ createdAt }) => <Time at={createdAt} />, width: '5.5rem' },
  { id: 'type', header: 'Event', cell: ({ type }) => type, width: 'minmax(7rem, 1fr)' },
  { id: 'application', header: 'Application', cell: ({ applicationName }) => applicationName, width: 'minmax(6rem, 1fr)' },
  { id: 'subject', header: 'About', cell: ({ subject }) => <code>{subject}</code>, width: 'minmax(9rem, 2fr)', wideOnly: true },
  { id: 'state', header: 'State', cell: (delivery) => <DeliveryState {...delivery} />, width: 'minmax(7rem, 1fr)' },
  { id: 'attempts', header: 'Attempts', cell: ({ attempts }) => attempts, align: 'end', width: '4.5rem' },
  {
    id: 'answer',
    header: 'Last answer',
    cell: ({ lastError, lastStatus }) =>
      lastError ?? (lastStatus === null ? <span className={textStyles.soft}>none yet</span> : lastStatus),
    width: 'minmax(7rem, 1fr)',
  },
  {
    id: 'took',
    header: 'Took',
    cell: ({ lastDurationMs }) => (lastDurationMs === null ? '' : `${lastDurationMs} ms`),
    align: 'end',
    width: '4.5rem',
    wideOnly: true,
  },
];

function DeliveryState({ state, attempts, nextAttemptAt, isHeld }: Delivery) {
  return (
    <>
      <StateBadge state={state} tone={state === 'pending' ? (attempts > 0 ? 'attention' : 'waiting') : toneOf(state)} />
      {nextAttemptAt !== null && (attempts > 0 || isHeld) && (
        <span className={textStyles.note}>
          next <Time at={nextAttemptAt} />
          {isHeld && ', its receiver asked for a pause'}
        </span>
      )}
    </>
  );
}

function withoutEmpty(search: Record<string, string | undefined>): DeliverySearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ''));
}
