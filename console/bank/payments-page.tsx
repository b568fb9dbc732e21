import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { morePartsOf } from '../api/more-parts.ts';
import { ActionButton } from '../design/action-button.tsx';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Money } from '../design/money.tsx';
import { Section, Toolbar } from '../design/page.tsx';
import { Segmented } from '../design/segmented.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import textStyles from '../design/text.module.css';
import { Time } from '../design/time.tsx';
import { BankFrame } from './bank-frame.tsx';
import { type Payment, paymentsQuery } from './queries.ts';
import { paymentKinds, paymentSearch, paymentStates } from './search.ts';

const route = getRouteApi('/app/bank/payments');

const columns: readonly Column<Payment>[] = [
  { id: 'created', header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} />, width: '6rem' },
  { id: 'payee', header: 'Payee', cell: (payment) => <Payee payment={payment} />, width: 'minmax(12rem, 1fr)' },
  { id: 'kind', header: 'Kind', cell: ({ kind }) => kind, width: '4rem' },
  { id: 'of', header: 'Of', cell: (payment) => <Origin payment={payment} />, width: '5rem' },
  { id: 'state', header: 'State', cell: (payment) => <PaymentState payment={payment} />, width: 'minmax(10rem, 1.2fr)' },
  {
    id: 'amount',
    header: 'Amount',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    align: 'end',
    width: '8rem',
  },
  { id: 'reject', header: 'Action', cell: (payment) => <Reject payment={payment} />, align: 'end', width: '5rem' },
];

const anyValue = 'any';
const stateOptions = ([anyValue, ...paymentStates] as const).map((value) => ({ value, label: value }));
const kindOptions = ([anyValue, ...paymentKinds] as const).map((value) => ({ value, label: value }));

/** The payments to the bank, the latest first. */
export function PaymentsPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const list = useSuspenseInfiniteQuery(paymentsQuery(search));
  const { data } = list;
  const filter = (change: Record<string, string>) => {
    void navigate({ to: '/bank/payments', search: paymentSearch({ ...search, ...change }), replace: true });
  };
  return (
    <BankFrame title="Payments">
      <Toolbar>
        <Segmented label="State" options={stateOptions} value={search.state ?? anyValue} onChange={(state) => filter({ state })} />
        <Segmented label="Kind" options={kindOptions} value={search.kind ?? anyValue} onChange={(kind) => filter({ kind })} />
      </Toolbar>
      <Section title="Payments to the bank" flush>
        <DataTable
          label="Payments"
          columns={columns}
          rows={data.pages.flatMap(({ rows }) => rows)}
          rowKey={({ id }) => id}
          {...morePartsOf(list)}
          empty={<EmptyState title="No payments.">Redemptions to a bank account and returned credits appear here.</EmptyState>}
        />
      </Section>
    </BankFrame>
  );
}

function Payee({ payment: { payee, iban } }: { payment: Payment }) {
  return (
    <>
      {payee}
      <span className={textStyles.note}>{iban}</span>
    </>
  );
}

function Origin({ payment: { orderId, credit } }: { payment: Payment }) {
  if (orderId !== null)
    return (
      <Link to="/orders/$id" params={{ id: orderId }}>
        Its order
      </Link>
    );
  return credit === null ? (
    '–'
  ) : (
    <Link to="/orders" search={{ q: credit }}>
      Its credit
    </Link>
  );
}

function PaymentState({ payment: { state, bankStatus, reason } }: { payment: Payment }) {
  return (
    <span>
      <StateBadge state={state} /> {state === 'sent' && bankStatus}
      {reason && <span className={textStyles.note}>{reason}</span>}
    </span>
  );
}

function Reject({ payment: { id, kind, state, bankStatus } }: { payment: Payment }) {
  const isContradicted = state === 'accepted' && (bankStatus === 'RJCT' || bankStatus === 'CANC');
  if (kind !== 'payout' || (state !== 'ready' && state !== 'sent' && !isContradicted)) return null;
  return (
    <ActionButton
      action="bank.reject-payment"
      label="Reject"
      title="Reject the payout"
      lead="Only after the bank has confirmed that it will not pay. The tokens are given back, and the customer reads the reason."
      input={{ payment: id, state }}
      tone="danger"
    />
  );
}
