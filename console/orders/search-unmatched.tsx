import { Link } from '@tanstack/react-router';
import { Banner } from '../design/banner.tsx';
import { groupDigits } from '../design/money.tsx';
import { Time } from '../design/time.tsx';
import type { FoundCredit } from './queries.ts';
import styles from './orders-page.module.css';

/** Money that fits what is searched for and waits at the bank: no order has it yet. */
export function SearchUnmatched({ credits }: { credits: readonly FoundCredit[] }) {
  if (credits.length === 0) return null;
  const title = credits.length === 1 ? 'A credit that became no order fits.' : `${credits.length} credits that became no order fit.`;
  return (
    <Banner tone="attention" title={title}>
      <ul className={styles.credits}>
        {credits.map(({ reference, receivedAt, amount, currency, payerName, reason }) => (
          <li key={reference}>
            <Link to="/bank" search={{ credit: reference }}>
              {amount === null ? 'An amount that is not known' : `${groupDigits(amount)} ${currency?.toUpperCase() ?? ''}`} from{' '}
              {payerName ?? 'somebody whom the bank does not name'}
            </Link>{' '}
            · received <Time at={receivedAt} /> · waits because {reason}
          </li>
        ))}
      </ul>
    </Banner>
  );
}
