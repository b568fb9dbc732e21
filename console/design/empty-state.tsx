import type { ReactNode } from 'react';
import styles from './empty-state.module.css';

/** Says why there is nothing, and what would be here. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children && <div className={styles.text}>{children}</div>}
    </div>
  );
}
