import { EmptyState } from '../design/empty-state.tsx';
import { Money } from '../design/money.tsx';
import { Section } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Breaches } from './breaches.tsx';
import { comparisonNames } from './comparison-names.ts';
import type { Breach, Comparison, Reserve } from './queries.ts';
import styles from './reserve-equations.module.css';

const underWayNames: Record<string, string> = {
  issue: 'to be issued',
  payout: 'to be paid out',
  return: 'to be returned',
  suspense: 'unmatched',
  payments: 'sent to the bank',
};

/** For each currency: the money at the bank is the tokens in circulation and the money under way; and what else says so. */
export function ReserveEquations({
  reserves,
  comparisons,
  breaches,
}: {
  reserves: readonly Reserve[];
  comparisons: readonly Comparison[];
  breaches: readonly Breach[];
}) {
  if (reserves.length === 0) {
    return (
      <Section title="Reserve">
        <EmptyState title="Nothing has been booked yet.">The first money that the bank reports appears here.</EmptyState>
      </Section>
    );
  }
  return reserves.map((reserve) => (
    <Section key={reserve.currency} title={`Reserve of ${reserve.currency.toUpperCase()}`} flush>
      <Breaches breaches={breaches.filter(({ currency }) => currency === reserve.currency)} />
      <Equation reserve={reserve} />
      <Comparisons comparisons={comparisons.filter(({ currency }) => currency === reserve.currency)} />
    </Section>
  ));
}

function Equation({ reserve }: { reserve: Reserve }) {
  const { bank, tokens, underWay, difference } = reserve;
  const others = [
    { name: 'opening', amount: reserve.openings },
    { name: 'own money', amount: reserve.operator },
    { name: 'claims', amount: reserve.claims },
    { name: 'unexplained', amount: reserve.unexplained },
  ].filter(({ amount }) => !isZero(amount));
  const holds = isZero(difference);
  return (
    <div className={styles.equation}>
      <Term name="Money at the bank" amount={bank.total} parts={bank.accounts} />
      <span className={styles.sign}>=</span>
      <Term name="Tokens in circulation" amount={tokens.total} parts={tokens.networks} />
      <span className={styles.sign}>+</span>
      <Term
        name="Money under way"
        amount={underWay.total}
        parts={underWay.kinds
          .map(({ name, amount }) => ({ name: underWayNames[name] ?? name, amount }))
          .filter(({ amount }) => !isZero(amount))}
      />
      {others.length > 0 && (
        <>
          <span className={styles.sign}>+</span>
          <Term name="Other" parts={others} />
        </>
      )}
      <div className={styles.term}>
        <p className={styles.name}>Difference</p>
        <p className={styles.amount}>
          <Money amount={difference} signed />
        </p>
        <StateBadge state={holds ? 'holds' : 'differs'} />
      </div>
    </div>
  );
}

function Term({ name, amount, parts }: { name: string; amount?: string; parts: readonly { name: string; amount: string }[] }) {
  return (
    <div className={styles.term}>
      <p className={styles.name}>{name}</p>
      {amount !== undefined && (
        <p className={styles.amount}>
          <Money amount={amount} />
        </p>
      )}
      <dl className={styles.parts}>
        {parts.map((part) => (
          <div key={part.name} className={styles.part}>
            <dt>{part.name}</dt>
            <dd>
              <Money amount={part.amount} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Comparisons({ comparisons }: { comparisons: readonly Comparison[] }) {
  const names = [...new Set(comparisons.map(({ comparison }) => comparison))];
  if (names.length === 0) return null;
  return (
    <ul className={styles.comparisons}>
      {names.map((name) => {
        const results = comparisons.filter(({ comparison }) => comparison === name);
        const worst = results.find(({ verdict }) => verdict === 'differs') ?? results.find(({ verdict }) => verdict === 'acknowledged');
        return (
          <li key={name} className={styles.comparison}>
            <span>{comparisonNames[name]}</span>
            <StateBadge state={worst?.verdict ?? 'holds'} />
            {worst && <Money amount={worst.difference} signed />}
          </li>
        );
      })}
    </ul>
  );
}

function isZero(amount: string): boolean {
  return !/[1-9]/.test(amount);
}
