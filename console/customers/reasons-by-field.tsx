import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { SelectField, TextField } from '../design/form-field.tsx';
import styles from './reasons-by-field.module.css';

/** Rows of a review at most, as the server has it. */
const mostRows = 50;

/** Fields of what was submitted, each with the reason why it is not enough. */
export function ReasonsByField({ fields, isRequired }: { fields: readonly { value: string; label: string }[]; isRequired: boolean }) {
  const [rows, setRows] = useState(isRequired ? 1 : 0);
  return (
    <div className={styles.rows}>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className={styles.row}>
          <SelectField name={`field-${index}`} label={`Field ${index + 1}`} options={fields} />
          <TextField name={`reason-${index}`} label={`Reason ${index + 1}`} required={isRequired && index === 0} autoComplete="off" />
        </div>
      ))}
      <Button disabled={rows >= mostRows} onClick={() => setRows(rows + 1)}>
        {rows === 0 ? 'Name a field' : 'Name another field'}
      </Button>
    </div>
  );
}

/** The reasons of the form; a field without one is left out. */
export function readReasons(form: FormData): { field: string; reason: string }[] {
  return Array.from({ length: mostRows }, (_, index) => ({
    field: textOf(form, `field-${index}`),
    reason: textOf(form, `reason-${index}`),
  })).filter(({ field, reason }) => field !== '' && reason !== '');
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
