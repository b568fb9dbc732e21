import { useSuspenseQuery } from '@tanstack/react-query';
import { ActionButton } from '../design/action-button.tsx';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { SelectField, TextAreaField, TextField } from '../design/form-field.tsx';
import { linesOf } from '../design/form-lines.ts';
import { Copyable } from '../design/hash.tsx';
import { Money } from '../design/money.tsx';
import { Section } from '../design/page.tsx';
import { Day } from '../design/time.tsx';
import { BankFrame } from './bank-frame.tsx';
import { partyName } from './payer.tsx';
import { type Debit, debitsQuery } from './queries.ts';

const kinds = [
  { value: 'fee', label: "A fee of the bank's" },
  { value: 'interest', label: 'Interest' },
  { value: 'own', label: "The operator's own money" },
  { value: 'payment', label: 'Payments of ours' },
  { value: 'return-of', label: 'The return of a credit by hand' },
  { value: 'reversal-of', label: 'Credits that the bank took back' },
  { value: 'repeat-of', label: 'Another report of debits' },
];

const columns: readonly Column<Debit>[] = [
  { id: 'booked', header: 'Booked', cell: ({ bookedOn }) => <Day day={bookedOn} />, width: '7rem' },
  { id: 'payee', header: 'Payee', cell: ({ payee }) => partyName(payee) },
  { id: 'known', header: 'What is known', cell: (debit) => whatIsKnown(debit), width: 'minmax(10rem, 2fr)' },
  {
    id: 'reference',
    header: 'Reference',
    cell: ({ reference }) => <Copyable value={reference} />,
    width: 'minmax(8rem, 1fr)',
    wideOnly: true,
  },
  {
    id: 'amount',
    header: 'Amount',
    cell: ({ amount, currency }) => (amount === null ? '?' : <Money amount={amount} currency={currency} />),
    align: 'end',
    width: '9rem',
  },
  { id: 'explain', header: 'Action', cell: (debit) => <Explain debit={debit} />, align: 'end', width: '6rem' },
];

/** The debits that are none of our payments, the oldest first. */
export function DebitsPage() {
  const { data } = useSuspenseQuery(debitsQuery);
  return (
    <BankFrame title="Debits to be explained">
      <Section title="Debits that nobody has explained" flush>
        <DataTable
          label="Unexplained debits"
          columns={columns}
          rows={data.rows}
          rowKey={({ reference }) => reference}
          empty={
            <EmptyState title="No debits to be explained.">
              Money that leaves the account without a payment of ours appears here.
            </EmptyState>
          }
        />
      </Section>
      {data.hasMore && <p>Only the oldest are shown.</p>}
    </BankFrame>
  );
}

function Explain({ debit: { reference, amount, mayTakeBack, mayRepeat } }: { debit: Debit }) {
  const candidates = [...mayTakeBack, ...mayRepeat];
  return (
    <ActionButton
      action="bank.explain"
      label="Explain"
      title="Say what the debit was"
      input={{ debit: reference }}
      readForm={(form) => ({
        as: form.get('as'),
        of: linesOf(form, 'of'),
        reason: form.get('reason'),
        ...(amount === null && { amount: form.get('amount') }),
      })}
    >
      <SelectField
        name="as"
        label="What it was"
        options={kinds}
        defaultValue={mayTakeBack.length > 0 ? 'reversal-of' : mayRepeat.length > 0 ? 'repeat-of' : 'fee'}
      />
      <TextAreaField
        name="of"
        label="Of which payments, credits or debits"
        hint="Ids of payments, or references: one a line, with `fee` if the bank added one to payments or debits. Empty for the operator's own money."
        defaultValue={candidates.length === 1 ? candidates[0] : ''}
      />
      {amount === null && (
        <TextField name="amount" label="Amount" hint="What the bank booked, such as 12.50: its file has none that can be read." />
      )}
    </ActionButton>
  );
}

function whatIsKnown({ problem, takesBack, mayTakeBack, mayRepeat, remittance }: Debit): string {
  const known = [
    takesBack === null ? undefined : `It takes a credit back (${takesBack}).`,
    problem ?? undefined,
    mayTakeBack.length === 0 ? undefined : `It may take back ${mayTakeBack.join(' or ')}.`,
    mayRepeat.length === 0 ? undefined : `It may be another report of ${mayRepeat.join(' or ')}.`,
  ].filter((text) => text !== undefined);
  return known.length === 0 ? (remittance ?? '–') : known.join(' ');
}
