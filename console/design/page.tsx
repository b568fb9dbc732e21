import { type ReactNode, useEffect } from 'react';
import styles from './page.module.css';

/** A page: its heading, what can be done with it as a whole, and its content. */
export function Page({ title, actions, lead, children }: { title: string; actions?: ReactNode; lead?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Mintrail`;
  }, [title]);
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <h1 className={styles.title} tabIndex={-1}>
          {title}
        </h1>
        {actions && <div className={styles.actions}>{actions}</div>}
        {lead && <p className={styles.lead}>{lead}</p>}
      </div>
      {children}
    </div>
  );
}

/** A part of a page with a heading of its own. `flush` is for content with its own padding, such as a table. */
export function Section({
  title,
  actions,
  flush = false,
  children,
}: {
  title: string;
  actions?: ReactNode;
  flush?: boolean;
  children: ReactNode;
}) {
  return (
    <section className={styles.section} aria-label={title}>
      <div className={styles.sectionHead}>
        <h2 className={styles.sectionTitle}>{title}</h2>
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
      <div className={flush ? styles.flush : styles.body}>{children}</div>
    </section>
  );
}

/** Sections beside each other where there is room. */
export function Columns({ children }: { children: ReactNode }) {
  return <div className={styles.columns}>{children}</div>;
}

/** Search fields and filters above a table. */
export function Toolbar({ children }: { children: ReactNode }) {
  return <div className={styles.toolbar}>{children}</div>;
}
