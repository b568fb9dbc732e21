import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ActionButton } from '../design/action-button.tsx';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { SelectField, TextField } from '../design/form-field.tsx';
import { Copyable } from '../design/hash.tsx';
import { Money } from '../design/money.tsx';
import { Section } from '../design/page.tsx';
import { BankFrame } from './bank-frame.tsx';
import { type Recall, recallsQuery } from './queries.ts';
import styles from './claims-page.module.css';

const columns: readonly Column<Recall>[] = [
  { id: 'answerBy', header: 'Answer by', cell: ({ answerBy }) => answerBy, width: '7rem' },
  { id: 'payer', header: 'Payer', cell: ({ payerName, payerIban }) => payerName ?? payerIban ?? '–', width: 'minmax(7rem, 1fr)' },
  { id: 'reason', header: 'Why', cell: ({ reason }) => reason ?? '–', width: 'minmax(7rem, 1fr)' },
  { id: 'credits', header: 'Credit', cell: (recall) => <Credits recall={recall} />, width: 'minmax(10rem, 2fr)' },
  {
    id: 'amount',
    header: 'Amount',
    cell: ({ amount, currency }) => (amount === null ? '–' : <Money amount={amount} currency={currency ?? undefined} />),
    align: 'end',
    width: '8rem',
  },
  { id: 'actions', header: 'Actions', cell: (recall) => <RecallActions recall={recall} />, align: 'end', width: '10rem' },
];

/** The payments whose return banks ask for, the oldest first. */
export function RecallsPage() {
  const { data } = useSuspenseQuery(recallsQuery);
  return (
    <BankFrame title="Recalls">
      <Section title="Payments that banks ask back" flush>
        <DataTable
          label="Recalls"
          columns={columns}
          rows={data.rows}
          rowKey={({ id }) => id}
          empty={<EmptyState title="No recalls.">A payment whose return a bank asks for (camt.056) appears here.</EmptyState>}
        />
      </Section>
      {data.hasMore && <p>Only the oldest are shown.</p>}
    </BankFrame>
  );
}

function Credits({ recall: { answeredAt, credits, isOfWholeMessage, payment } }: { recall: Recall }) {
  if (answeredAt !== null) return 'Accepted, and not taken by the bank';
  if (isOfWholeMessage) return `The whole message ${payment.messageId ?? ''}: refuse it, and ask for a recall of each payment`;
  if (credits.length === 0) return 'Not known here';
  return credits.map(({ reference, state, orderId, isNamed, problem }) => (
    <div key={reference}>
      <Copyable value={reference} />
      {problem ?? `${state}${isNamed ? '' : ', perhaps'}`}{' '}
      {orderId !== null && (
        <Link to="/orders/$id" params={{ id: orderId }}>
          Its order
        </Link>
      )}
    </div>
  ));
}

/** The usual codes; `mintrail bank recalls refuse` has the others. */
const refusals = [
  { value: 'CUST', label: 'The customer refuses' },
  { value: 'NOAS', label: 'The customer does not answer' },
  { value: 'AM04', label: 'The money is not there any more' },
  { value: 'ARDT', label: 'It was returned already' },
  { value: 'NOOR', label: 'The payment was never received' },
  { value: 'AC04', label: 'The account is closed' },
  { value: 'LEGL', label: 'The law forbids it' },
  { value: 'NARR', label: 'As the text says' },
];

function RecallActions({ recall: { id, answeredAt, credits } }: { recall: Recall }) {
  if (answeredAt !== null)
    return (
      <ActionButton
        action="bank.undo-recall"
        label="Undo"
        title="The bank does not take the money"
        lead="Only after the bank has said so. The credit waits again."
        input={{ recall: id }}
      />
    );
  return (
    <span className={styles.actions}>
      {credits.some(({ problem }) => problem === null) && (
        <ActionButton
          action="bank.accept-recall"
          label="Accept"
          title="Let the bank take the money back"
          input={{ recall: id }}
          reason={false}
        >
          {credits.length > 1 && <TextField name="credit" label="Credit" hint="Its reference, where several are possible." />}
        </ActionButton>
      )}
      <ActionButton action="bank.refuse-recall" label="Refuse" input={{ recall: id }} reason={false}>
        <SelectField name="code" label="Why" options={refusals} />
        <TextField name="text" label="What the bank is told besides" maxLength={105} />
      </ActionButton>
    </span>
  );
}
