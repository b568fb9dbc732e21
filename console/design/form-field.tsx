import { Field } from '@base-ui/react/field';
import { type ComponentPropsWithRef, type ReactNode, useId } from 'react';
import styles from './form-field.module.css';

/** What all form fields have: a name by which errors find it, a label, and a hint. */
interface FormFieldProps {
  name: string;
  label: string;
  hint?: ReactNode;
}

/** A line of text. */
export function TextField({ name, label, hint, ...props }: FormFieldProps & Omit<ComponentPropsWithRef<'input'>, 'name'>) {
  return (
    <Labelled name={name} label={label} hint={hint}>
      <Field.Control className={styles.control} {...props} />
    </Labelled>
  );
}

/** Several lines of text. */
export function TextAreaField({ name, label, hint, rows = 3, ...props }: FormFieldProps & Omit<ComponentPropsWithRef<'textarea'>, 'name'>) {
  return (
    <Labelled name={name} label={label} hint={hint}>
      <Field.Control
        className={`${styles.control} ${styles.area}`}
        render={<textarea rows={rows} {...props} />}
        required={props.required ?? false}
      />
    </Labelled>
  );
}

/** A choice of a list: the browser's own, which every keyboard and every phone knows. */
export function SelectField({
  name,
  label,
  hint,
  options,
  ...props
}: FormFieldProps & { options: readonly { value: string; label: string }[] } & Omit<ComponentPropsWithRef<'select'>, 'name'>) {
  return (
    <Labelled name={name} label={label} hint={hint}>
      <Field.Control
        className={`${styles.control} ${styles.select}`}
        render={
          <select {...props}>
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
        }
      />
    </Labelled>
  );
}

/** Yes or no. */
export function CheckboxField({ name, label, hint, ...props }: FormFieldProps & Omit<ComponentPropsWithRef<'input'>, 'name' | 'type'>) {
  const id = useId();
  return (
    <Field.Root name={name} className={styles.checkbox}>
      <input type="checkbox" id={id} name={name} {...props} />
      <label htmlFor={id}>
        {label}
        {hint && <span className={styles.hint}> {hint}</span>}
      </label>
      <Field.Error className={styles.error} />
    </Field.Root>
  );
}

function Labelled({ name, label, hint, children }: FormFieldProps & { children: ReactNode }) {
  return (
    <Field.Root name={name} className={styles.field}>
      <Field.Label className={styles.label}>{label}</Field.Label>
      {children}
      {hint && <Field.Description className={styles.hint}>{hint}</Field.Description>}
      <Field.Error className={styles.error} />
    </Field.Root>
  );
}
