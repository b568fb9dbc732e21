import type { ReactNode } from 'react';
import styles from './figure-tile.module.css';

/** A row of single figures, or rows of `perRow`. */
export function FigureTiles({ perRow, children }: { perRow?: number; children: ReactNode }) {
  return (
    <dl className={styles.tiles} style={perRow === undefined ? undefined : { '--tile-width': `calc(${100 / perRow}% - 2px)` }}>
      {children}
    </dl>
  );
}

/** One figure, what it is, and a note about it. */
export function FigureTile({ name, note, children }: { name: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.tile}>
      <dt className={styles.name}>{name}</dt>
      <dd className={styles.figure}>{children}</dd>
      {note && <dd className={styles.note}>{note}</dd>}
    </div>
  );
}
