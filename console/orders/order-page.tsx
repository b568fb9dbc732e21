import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ActionButton } from '../design/action-button.tsx';
import { Banner } from '../design/banner.tsx';
import { FieldList, FieldRow } from '../design/field-list.tsx';
import { Address, Copyable, Iban } from '../design/hash.tsx';
import { Money } from '../design/money.tsx';
import { Columns, Page, Section } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Time } from '../design/time.tsx';
import { OrderDeliveries } from './order-deliveries.tsx';
import { OrderHistory } from './order-history.tsx';
import { OrderPath } from './order-path.tsx';
import { OrderWaits } from './order-waits.tsx';
import { type OrderView, orderQuery } from './queries.ts';

/** One order: the way of its money, what it waits for, its history and its deliveries. */
export function OrderPage() {
  const { id } = useParams({ from: '/app/orders/$id' });
  const { data: view } = useSuspenseQuery(orderQuery(id));
  const { order, isStuck } = view;
  return (
    <Page
      title={`${order.kind === 'issue' ? 'Issue' : 'Redemption'} of ${order.amount} ${order.currency.toUpperCase()}`}
      actions={
        <>
          <StateBadge state={order.state} />
          {isStuck && (
            <ActionButton
              action="orders.give-back"
              label="Give back"
              title="Give the tokens back"
              input={{ order: order.id }}
              tone="primary"
              lead={
                <p>
                  The token contract refused to give <Money amount={order.amount} currency={order.currency} /> back to{' '}
                  <Address value={order.address} chain={order.chain} full /> on {order.chain}. Remove the cause first, such as a block on
                  the address.
                </p>
              }
            />
          )}
        </>
      }
    >
      {isStuck && (
        <Banner tone="attention" title="Only an operator can end this order.">
          Its tokens are burnt, its payout was refused, and the token contract would not take the tokens back.
        </Banner>
      )}
      <OrderWaits view={view} />
      <Columns>
        <Section title="Order">
          <OrderFacts order={order} />
        </Section>
        <Section title={order.kind === 'issue' ? 'Payer' : 'Payee'}>
          <CounterpartFacts order={order} />
        </Section>
      </Columns>
      <Section title="The way of the money">
        <OrderPath view={view} />
      </Section>
      <Section title="History" flush>
        <OrderHistory history={view.history} />
      </Section>
      <Section title="Webhook deliveries" flush>
        <OrderDeliveries deliveries={view.deliveries} />
      </Section>
    </Page>
  );
}

function OrderFacts({ order }: { order: OrderView['order'] }) {
  return (
    <FieldList>
      <FieldRow name="Order">
        <Copyable value={order.id} />
      </FieldRow>
      <FieldRow name="Amount">
        <Money amount={order.amount} currency={order.currency} />
      </FieldRow>
      <FieldRow name="Customer">
        <Link to="/orders" search={{ profile: order.profile }}>
          {order.profileName}
        </Link>
      </FieldRow>
      <FieldRow name="Address">
        <Address value={order.address} chain={order.chain} />
      </FieldRow>
      <FieldRow name="Network">{order.chain}</FieldRow>
      <FieldRow name="Placed">
        <Time at={order.placedAt} show="both" />
      </FieldRow>
      <FieldRow name="Processed">{order.processedAt && <Time at={order.processedAt} show="both" />}</FieldRow>
      <FieldRow name="Rejected">{order.rejectedAt && <Time at={order.rejectedAt} show="both" />}</FieldRow>
      <FieldRow name="Reason">{order.rejectedReason}</FieldRow>
      <FieldRow name="Correlation id">{order.correlationId && <Copyable value={order.correlationId} />}</FieldRow>
    </FieldList>
  );
}

function CounterpartFacts({ order: { counterpart, memo, referenceNumber, message } }: { order: OrderView['order'] }) {
  const { identifier, details } = counterpart;
  return (
    <FieldList>
      <FieldRow name="IBAN">{identifier.standard === 'iban' && identifier.iban && <Iban value={identifier.iban} />}</FieldRow>
      <FieldRow name="Account">
        {identifier.standard === 'account' &&
          [identifier.accountNumber, identifier.bic, identifier.clearingCode].filter(Boolean).join(', ')}
      </FieldRow>
      <FieldRow name="Address">
        {identifier.standard === 'chain' && <Address value={identifier.address} chain={identifier.chain} />}
      </FieldRow>
      {Object.entries(details).map(([name, value]) => (
        <FieldRow key={name} name={nameOfDetail(name)}>
          {detailText(value)}
        </FieldRow>
      ))}
      <FieldRow name="Memo">{memo}</FieldRow>
      <FieldRow name="Reference">{referenceNumber}</FieldRow>
      <FieldRow name="Signed message">{message}</FieldRow>
    </FieldList>
  );
}

/** A detail on one line: the parts of an address in their order. */
function detailText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? Object.values(value).map(detailText).join(', ') : JSON.stringify(value);
}

/** `firstName` as "First name". */
function nameOfDetail(name: string): string {
  const words = name.replaceAll(/([A-Z])/g, ' $1').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
