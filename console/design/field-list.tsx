import type { ReactNode } from 'react';
import styles from './field-list.module.css';

/** Names and values of one thing. A field without a value is left out. */
export function FieldList({ children }: { children: ReactNode }) {
  return <dl className={styles.list}>{children}</dl>;
}

/** A name and its value in a {@link FieldList}. */
export function FieldRow({ name, children }: { name: string; children: ReactNode }) {
  if (children === undefined || children === null || children === '' || children === false) return null;
  return (
    <div className={styles.field}>
      <dt className={styles.name}>{name}</dt>
      <dd className={styles.value}>{children}</dd>
    </div>
  );
}
