import { Link } from '@tanstack/react-router';
import { Banner } from '../design/banner.tsx';
import { groupDigits } from '../design/money.tsx';
import { Time } from '../design/time.tsx';
import type { FoundCredit } from './queries.ts';
import styles from './orders-page.module.css';

/** Money that fits what is searched for and that no order has: it waits at the bank, or was sent back to its payer. */
export function SearchCredits({ credits }: { credits: readonly FoundCredit[] }) {
  if (credits.length === 0) return null;
  const title = credits.length === 1 ? 'A credit that became no order fits.' : `${credits.length} credits that became no order fit.`;
  return (
    <Banner tone={credits.some(({ state }) => state === 'unmatched') ? 'attention' : 'info'} title={title}>
      <ul className={styles.credits}>
        {credits.map((credit) => (
          <li key={credit.reference}>{credit.state === 'unmatched' ? <Waiting credit={credit} /> : <Returned credit={credit} />}</li>
        ))}
      </ul>
    </Banner>
  );
}

function Waiting({ credit }: { credit: FoundCredit }) {
  return (
    <>
      <Link to="/bank" search={{ credit: credit.reference }}>
        {moneyOf(credit)}
      </Link>{' '}
      · received <Time at={credit.receivedAt} /> · waits for an operator
      {because(credit)}
    </>
  );
}

function Returned({ credit }: { credit: FoundCredit }) {
  const { receivedAt, returnedAt, payment } = credit;
  return (
    <>
      {payment === null ? (
        moneyOf(credit)
      ) : (
        <Link to="/bank/payments" search={{ kind: 'return' }}>
          {moneyOf(credit)}
        </Link>
      )}{' '}
      · received <Time at={receivedAt} />
      {because(credit)} · returned {returnedAt !== null && <Time at={returnedAt} />}
      {payment === null ? ', to be sent by hand' : `, the payment is ${payment}`}
    </>
  );
}

/** Why it became no order, behind what it explains. */
function because({ reason }: FoundCredit): string {
  return reason === null ? '' : `: ${reason}`;
}

function moneyOf({ amount, currency, payerName }: FoundCredit): string {
  const money = amount === null ? 'An amount that is not known' : `${groupDigits(amount)} ${currency?.toUpperCase() ?? ''}`;
  return `${money} from ${payerName ?? 'somebody whom the bank does not name'}`;
}
