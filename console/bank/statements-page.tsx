import { useSuspenseQuery } from '@tanstack/react-query';
import { ActionButton } from '../design/action-button.tsx';
import { type Column, DataTable } from '../design/data-table.tsx';
import { formatCount, mostCounted } from '../design/count.ts';
import { EmptyState } from '../design/empty-state.tsx';
import { TextField } from '../design/form-field.tsx';
import { Copyable } from '../design/hash.tsx';
import { Money } from '../design/money.tsx';
import { Section } from '../design/page.tsx';
import { Day, Time } from '../design/time.tsx';
import { BankFrame } from './bank-frame.tsx';
import { type AwaitedCredits, awaitedQuery, type Statement, statementsQuery } from './queries.ts';

const columns: readonly Column<Statement>[] = [
  { id: 'closed', header: 'Closed on', cell: ({ closedOn }) => <Day day={closedOn} />, width: '6.5rem' },
  { id: 'number', header: 'Number', cell: ({ number }) => number, width: '4rem' },
  {
    id: 'account',
    header: 'Account',
    cell: ({ account, currency }) => `${account} ${currency.toUpperCase()}`,
    width: 'minmax(9rem, 1fr)',
  },
  { id: 'balances', header: 'Opening, closing', cell: (statement) => <Balances statement={statement} />, align: 'end', width: '7.5rem' },
  { id: 'booked', header: 'In the book', cell: ({ booked }) => <Money amount={booked} />, align: 'end', width: '7.5rem' },
  {
    id: 'difference',
    header: 'Difference',
    cell: ({ difference }) => <Balance amount={difference} signed />,
    align: 'end',
    width: '7.5rem',
  },
  { id: 'gap', header: 'Gap before it', cell: (statement) => <Gap statement={statement} />, width: 'minmax(8rem, 1fr)' },
];

const awaitedColumns: readonly Column<AwaitedCredits>[] = [
  { id: 'since', header: 'Since', cell: ({ since }) => <Time at={since} />, width: '6rem' },
  { id: 'account', header: 'Account', cell: ({ account }) => account, width: 'minmax(9rem, 1fr)' },
  { id: 'count', header: 'Credits', cell: ({ count }) => formatCount(count, mostCounted.overdue), align: 'end', width: '5rem' },
  { id: 'oldest', header: 'The oldest', cell: ({ oldest }) => <Copyable value={oldest} />, width: 'minmax(9rem, 1fr)' },
  { id: 'actions', header: 'Actions', cell: (credits) => <NotBooked credits={credits} />, align: 'end', width: '8rem' },
];

/** The statements with their balances beside the book's, the latest first, and above them the notified money that they should list and do not. */
export function StatementsPage() {
  const { data: listed } = useSuspenseQuery(statementsQuery);
  const { data: notified } = useSuspenseQuery(awaitedQuery);
  return (
    <BankFrame title="Statements">
      {notified.awaited.length > 0 && (
        <Section title="Notified, and in no statement of the five days after" flush>
          <DataTable
            label="Notified money"
            columns={awaitedColumns}
            rows={notified.awaited}
            rowKey={({ account }) => account}
            empty={null}
          />
        </Section>
      )}
      <Section title="The latest statements" flush>
        <DataTable
          label="Statements"
          columns={columns}
          rows={listed.rows}
          rowKey={({ id }) => id}
          empty={<EmptyState title="No statements with balances.">A camt.053 file brings them.</EmptyState>}
        />
      </Section>
    </BankFrame>
  );
}

function NotBooked({ credits: { oldest } }: { credits: AwaitedCredits }) {
  return (
    <ActionButton
      action="bank.not-booked"
      label="Not booked"
      title="The bank has not booked what it notified"
      lead="Only after the bank has said so. A credit that is not issued never is, and what was issued is a claim. A payment of ours is given back."
    >
      <TextField name="reference" label="Credit or debit" defaultValue={oldest} required />
    </ActionButton>
  );
}

function Balances({ statement: { opening, closing } }: { statement: Statement }) {
  return (
    <>
      <Balance amount={opening} />
      <br />
      <Balance amount={closing} />
    </>
  );
}

function Balance({ amount, signed = false }: { amount: string | null; signed?: boolean }) {
  return amount === null ? '–' : <Money amount={amount} signed={signed} />;
}

function Gap({ statement: { id, gap, gapReason } }: { statement: Statement }) {
  if (gap === null) return '–';
  if (gapReason !== null) return `${gap}. Accepted: ${gapReason}`;
  return (
    <span>
      {gap} <ActionButton action="bank.accept-gap" label="Accept gap" title="No statement is missing" input={{ statement: id }} />
    </span>
  );
}
