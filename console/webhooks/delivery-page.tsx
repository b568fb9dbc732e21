import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ActionButton } from '../design/action-button.tsx';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { FieldList, FieldRow } from '../design/field-list.tsx';
import { Copyable } from '../design/hash.tsx';
import { Columns, Page, Section } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Time } from '../design/time.tsx';
import { deliveryQuery, subscriptionsQuery } from './queries.ts';
import styles from './webhooks.module.css';

const route = getRouteApi('/app/webhooks/deliveries/$id');

type Delivery = Awaited<ReturnType<NonNullable<ReturnType<typeof deliveryQuery>['queryFn']>>>;
type Attempt = Delivery['history'][number];

/** One delivery: its attempts, and what was sent. */
export function DeliveryPage() {
  const { id } = route.useParams();
  const { data: delivery } = useSuspenseQuery(deliveryQuery(id));
  return (
    <Page
      title={delivery.type}
      actions={
        <ActionButton
          action="webhooks.replay"
          label="Replay"
          title="Replay this delivery"
          lead="The receiver knows a repeated event by its webhook-id."
          input={{ deliveries: [delivery.id] }}
          reason={false}
        />
      }
    >
      <Columns>
        <Section title="Delivery">
          <DeliveryFields delivery={delivery} />
        </Section>
        <Section title="Attempts" flush>
          <DataTable
            label="Attempts"
            columns={attemptColumns}
            rows={delivery.history.toReversed()}
            rowKey={({ at }) => at}
            empty={<EmptyState title="No attempt was made yet." />}
          />
        </Section>
      </Columns>
      <Section title="Body" flush>
        {delivery.body === null ? (
          <EmptyState title="You may not see the body.">Bodies hold data of customers: treasurers and administrators see them.</EmptyState>
        ) : (
          <pre className={styles.body} tabIndex={0} aria-label="Body of the delivery">
            {delivery.body}
          </pre>
        )}
      </Section>
    </Page>
  );
}

function DeliveryFields({ delivery }: { delivery: Delivery }) {
  const { data } = useSuspenseQuery(subscriptionsQuery);
  const subscription = data.subscriptions.find(({ id }) => id === delivery.subscription);
  return (
    <FieldList>
      <FieldRow name="State">
        <StateBadge state={delivery.state} />
      </FieldRow>
      <FieldRow name="Application">{delivery.applicationName}</FieldRow>
      <FieldRow name="Receiver">
        <Link to="/webhooks" search={{ subscription: delivery.subscription }}>
          {subscription?.url ?? subscription?.origin ?? 'a deleted subscription'}
        </Link>
      </FieldRow>
      <FieldRow name="About">
        <Copyable value={delivery.subject} />
      </FieldRow>
      <FieldRow name="webhook-id">
        <Copyable value={delivery.event} />
      </FieldRow>
      <FieldRow name="Happened">
        <Time at={delivery.eventAt} show="both" />
      </FieldRow>
      <FieldRow name="Next attempt">{delivery.nextAttemptAt && <Time at={delivery.nextAttemptAt} show="both" />}</FieldRow>
      <FieldRow name="Ended">{delivery.endedAt && <Time at={delivery.endedAt} show="both" />}</FieldRow>
    </FieldList>
  );
}

const attemptColumns: Column<Attempt>[] = [
  { id: 'at', header: 'Time', cell: ({ at }) => <Time at={at} show="absolute" />, width: 'minmax(10rem, 1fr)' },
  {
    id: 'answer',
    header: 'Answer',
    cell: ({ status, error }) => (
      <StateBadge state={error === undefined ? 'delivered' : 'failed'}>{error ?? `answered ${status}`}</StateBadge>
    ),
    width: 'minmax(8rem, 1fr)',
  },
  { id: 'took', header: 'Took', cell: ({ duration }) => `${duration} ms`, align: 'end', width: '6rem' },
];
