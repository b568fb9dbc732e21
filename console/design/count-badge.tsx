import styles from './count-badge.module.css';

/** How much waits behind a link; `waiting` says so to screen readers. */
export function CountBadge({ count, waiting }: { count: number | string; waiting: string }) {
  return (
    <span className={styles.count}>
      {count}
      <span className="visually-hidden"> {waiting}</span>
    </span>
  );
}
