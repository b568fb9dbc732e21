import { Form } from '@base-ui/react/form';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useSession } from '../api/session-context.ts';
import { Button } from '../design/button.tsx';
import { SelectField, TextField } from '../design/form-field.tsx';
import styles from './orders-page.module.css';
import type { OrderFilter } from './queries.ts';

const states = [
  { value: '', label: 'Any state' },
  { value: 'open', label: 'Open' },
  { value: 'placed', label: 'Placed' },
  { value: 'pending', label: 'Pending' },
  { value: 'processed', label: 'Processed' },
  { value: 'rejected', label: 'Rejected' },
];

const kinds = [
  { value: '', label: 'Any kind' },
  { value: 'issue', label: 'Issue' },
  { value: 'redeem', label: 'Redeem' },
];

const currencyOptions = [
  { value: '', label: 'Any currency' },
  ...['eur', 'usd', 'gbp', 'isk'].map((value) => ({ value, label: value.toUpperCase() })),
];

/** A choice is applied at once, a time when it is sent. */
const apply = (event: FormEvent<HTMLSelectElement>) => event.currentTarget.form?.requestSubmit();

/** What narrows the list. It is in the address, so that it can be shared. */
export function OrderFilters({ filter }: { filter: OrderFilter }) {
  const navigate = useNavigate();
  const { chains } = useSession();
  const chainNames = [...new Set([...chains, ...(filter.chain === undefined ? [] : [filter.chain])])];
  const show = (next: OrderFilter) => void navigate({ to: '/orders', search: next });
  const read = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    show({ ...searchOf(filter), ...readForm(new FormData(event.currentTarget)) });
  };
  return (
    <Form className={styles.filters} onSubmit={read} aria-label="Filters">
      <SelectField name="state" label="State" options={states} defaultValue={filter.state ?? ''} onChange={apply} />
      <SelectField name="kind" label="Kind" options={kinds} defaultValue={filter.kind ?? ''} onChange={apply} />
      <SelectField
        name="chain"
        label="Network"
        options={[{ value: '', label: 'Any network' }, ...chainNames.map((value) => ({ value, label: value }))]}
        defaultValue={filter.chain ?? ''}
        onChange={apply}
      />
      <SelectField name="currency" label="Currency" options={currencyOptions} defaultValue={filter.currency ?? ''} onChange={apply} />
      <TextField name="from" label="Placed from" type="datetime-local" defaultValue={localTime(filter.from)} />
      <TextField name="until" label="Placed before" type="datetime-local" defaultValue={localTime(filter.until)} />
      <div className={styles.actions}>
        <Button type="submit">Apply</Button>
        {Object.keys(filter).length > 0 && (
          <Button tone="quiet" onClick={() => show({})}>
            Clear all
          </Button>
        )}
      </div>
    </Form>
  );
}

/** What the form has no field for: the text of the search, and the customer. */
function searchOf({ q, as, profile }: OrderFilter): OrderFilter {
  return { ...(q && { q }), ...(as && { as }), ...(profile && { profile }) };
}

function readForm(form: FormData): OrderFilter {
  const fields = [...form].flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value.trim() : '';
    if (text === '') return [];
    return [[name, name === 'from' || name === 'until' ? new Date(text).toISOString() : text]];
  });
  return Object.fromEntries(fields) as OrderFilter;
}

/** A time as the browser's field has it: in the reader's zone, without naming it. */
function localTime(at: string | undefined): string {
  if (at === undefined || Number.isNaN(Date.parse(at))) return '';
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
