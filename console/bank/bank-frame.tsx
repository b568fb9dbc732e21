import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CountBadge } from '../design/count-badge.tsx';
import { formatCount, mostCounted } from '../design/count.ts';
import { Page } from '../design/page.tsx';
import styles from './bank-frame.module.css';
import { waitingQuery } from './queries.ts';

const tabs = [
  { to: '/bank', name: 'Unmatched', waits: 'unmatched' },
  { to: '/bank/files', name: 'Files', waits: undefined },
  { to: '/bank/debits', name: 'Debits', waits: 'debits' },
  { to: '/bank/claims', name: 'Claims', waits: 'claims' },
  { to: '/bank/recalls', name: 'Recalls', waits: 'recalls' },
  { to: '/bank/payments', name: 'Payments', waits: undefined },
  { to: '/bank/payment-files', name: 'Payment files', waits: undefined },
  { to: '/bank/statements', name: 'Statements', waits: 'statements' },
  { to: '/bank/closing', name: 'Closing', waits: undefined },
] as const;

/** A page of the bank, under the tabs that lead to all of them, each with how much waits there. */
export function BankFrame({
  title,
  lead,
  actions,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { data: waiting } = useQuery(waitingQuery);
  return (
    <Page title="Bank" actions={actions} lead={lead}>
      <nav className={styles.tabs} aria-label="Bank">
        {tabs.map(({ to, name, waits }) => {
          const count = waits === undefined ? 0 : (waiting?.[waits] ?? 0);
          return (
            <Link key={to} to={to} className={styles.tab} activeOptions={{ exact: to === '/bank', includeSearch: false }}>
              {name}
              {count > 0 && <CountBadge count={formatCount(count, mostCounted.overdue)} waiting="waiting" />}
            </Link>
          );
        })}
      </nav>
      <h2 className="visually-hidden">{title}</h2>
      {children}
    </Page>
  );
}
