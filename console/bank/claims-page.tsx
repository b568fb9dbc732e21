import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ActionButton } from '../design/action-button.tsx';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { TextField } from '../design/form-field.tsx';
import { Copyable } from '../design/hash.tsx';
import { Money } from '../design/money.tsx';
import { Section } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Time } from '../design/time.tsx';
import { BankFrame } from './bank-frame.tsx';
import { partyName } from './payer.tsx';
import { type Claim, claimsQuery } from './queries.ts';
import styles from './claims-page.module.css';

const columns: readonly Column<Claim>[] = [
  { id: 'since', header: 'Since', cell: ({ createdAt }) => <Time at={createdAt} />, width: '6rem' },
  { id: 'payer', header: 'Payer', cell: (claim) => <Payer claim={claim} />, width: 'minmax(7rem, 1fr)' },
  { id: 'claim', header: 'Claim', cell: ({ claim }) => <Copyable value={claim} />, width: 'minmax(7rem, 1fr)' },
  {
    id: 'state',
    header: 'State',
    cell: ({ state }) => <StateBadge state={state} tone={state === 'open' ? 'attention' : 'progress'} />,
    width: '6rem',
  },
  { id: 'recovered', header: 'Recovered', cell: ({ recovered }) => <Money amount={recovered} />, align: 'end', width: '6.5rem' },
  {
    id: 'amount',
    header: 'Amount',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    align: 'end',
    width: '8rem',
  },
  { id: 'actions', header: 'Actions', cell: (claim) => <ClaimActions claim={claim} />, align: 'end', width: '10rem' },
];

/** The credits that the bank took back after they had been issued or returned, the oldest first. */
export function ClaimsPage() {
  const { data } = useSuspenseQuery(claimsQuery);
  return (
    <BankFrame title="Claims">
      <Section title="Credits that the bank took back" flush>
        <DataTable
          label="Claims"
          columns={columns}
          rows={data.rows}
          rowKey={({ claim }) => claim}
          empty={<EmptyState title="No claims.">A credit that the bank takes back after its tokens were issued appears here.</EmptyState>}
        />
      </Section>
      {data.hasMore && <p>Only the oldest are shown.</p>}
    </BankFrame>
  );
}

function Payer({ claim: { payer, orderId } }: { claim: Claim }) {
  return (
    <>
      {partyName(payer)}
      {orderId !== null && (
        <>
          <br />
          <Link to="/orders/$id" params={{ id: orderId }}>
            Its order
          </Link>
        </>
      )}
    </>
  );
}

function ClaimActions({ claim: { claim, state } }: { claim: Claim }) {
  return (
    <span className={styles.actions}>
      {state === 'open' && (
        <>
          <ActionButton
            action="bank.recover-claim"
            label="Recover"
            title="Make the claim good by a credit"
            input={{ claim }}
            reason={false}
          >
            <TextField name="credit" label="Unmatched credit with which it is paid" hint="Its reference." required />
          </ActionButton>
          <ActionButton action="bank.write-off-claim" label="Write off" input={{ claim }} tone="danger" />
        </>
      )}
      <ActionButton action="bank.undo-claim" label="Undo" title="The debit took back another credit" input={{ claim }} />
    </span>
  );
}
