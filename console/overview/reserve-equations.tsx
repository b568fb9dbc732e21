import { EmptyState } from '../design/empty-state.tsx';
import { Icon } from '../design/icon.tsx';
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

/** For each currency: the money at the bank is the tokens in circulation and the money under way; opened, the parts of each and what else says so. */
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
  return (
    <Section title="Reserve" flush>
      <div className={styles.names} aria-hidden="true">
        <span>Currency</span>
        <span>{termNames.bank}</span>
        <span />
        <span>{termNames.tokens}</span>
        <span />
        <span>{termNames.underWay}</span>
        <span>{termNames.difference}</span>
      </div>
      {reserves.map((reserve) => (
        <div key={reserve.currency} className={styles.currency}>
          <Breaches breaches={breaches.filter(({ currency }) => currency === reserve.currency)} />
          <Equation
            reserve={reserve}
            comparisons={comparisons.filter(({ currency }) => currency === reserve.currency)}
            isAlone={reserves.length === 1}
          />
        </div>
      ))}
    </Section>
  );
}

const termNames = {
  bank: 'Money at the bank',
  tokens: 'Tokens in circulation',
  underWay: 'Money under way',
  difference: 'Difference',
};

interface Part {
  name: string;
  amount: string;
}

function Equation({ reserve, comparisons, isAlone }: { reserve: Reserve; comparisons: readonly Comparison[]; isAlone: boolean }) {
  const { currency, bank, tokens, underWay, difference } = reserve;
  const worst = worstOf(comparisons);
  const verdict = isZero(difference) ? (worst?.verdict ?? 'holds') : 'differs';
  const others = othersOf(reserve);
  return (
    <details className={styles.details} open={isAlone || verdict === 'differs'}>
      <summary className={styles.line}>
        <span className={styles.code}>
          <span className={styles.chevron}>
            <Icon name="right" size={12} />
          </span>
          {currency.toUpperCase()}
        </span>
        <Total name={termNames.bank} amount={bank.total} />
        <span className={styles.sign}>=</span>
        <Total name={termNames.tokens} amount={tokens.total} />
        <span className={styles.sign}>+</span>
        <Total name={termNames.underWay} amount={underWay.total} note={others.length > 0 ? '+ other' : undefined} />
        <span className={styles.total}>
          <span className={styles.name}>{termNames.difference}</span>
          <span className={styles.verdict}>
            <StateBadge state={verdict} />
            <Money amount={difference} signed />
          </span>
        </span>
      </summary>
      <div className={styles.line}>
        <span />
        <Parts parts={bank.accounts} />
        <span />
        <Parts parts={tokens.networks} />
        <span />
        <Parts
          parts={[
            ...underWay.kinds
              .map(({ name, amount }) => ({ name: underWayNames[name] ?? name, amount }))
              .filter(({ amount }) => !isZero(amount)),
            ...others,
          ]}
        />
        <Comparisons comparisons={comparisons} />
      </div>
    </details>
  );
}

/** What stands beside the money under way: seldom anything. */
function othersOf(reserve: Reserve): Part[] {
  return [
    { name: 'other: opening', amount: reserve.openings },
    { name: 'other: own money', amount: reserve.operator },
    { name: 'other: claims', amount: reserve.claims },
    { name: 'other: unexplained', amount: reserve.unexplained },
  ].filter(({ amount }) => !isZero(amount));
}

function Total({ name, amount, note }: { name: string; amount: string; note?: string | undefined }) {
  return (
    <span className={styles.total}>
      <span className={styles.name}>{name}</span>
      <span>
        <Money amount={amount} />
        {note !== undefined && <span className={styles.other}> {note}</span>}
      </span>
    </span>
  );
}

function Parts({ parts }: { parts: readonly Part[] }) {
  return (
    <dl className={styles.parts}>
      {parts.map(({ name, amount }) => (
        <div key={name} className={styles.part}>
          <dt>{name}</dt>
          <dd>
            <Money amount={amount} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Comparisons({ comparisons }: { comparisons: readonly Comparison[] }) {
  const names = [...new Set(comparisons.map(({ comparison }) => comparison))];
  return (
    <dl className={styles.parts}>
      {names.map((name) => {
        const worst = worstOf(comparisons.filter(({ comparison }) => comparison === name));
        return (
          <div key={name} className={styles.part}>
            <dt>{comparisonNames[name]}</dt>
            <dd className={styles.verdict}>
              {worst && <Money amount={worst.difference} signed />}
              <StateBadge state={worst?.verdict ?? 'holds'} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** The comparison that needs a person first, if any does. */
function worstOf(comparisons: readonly Comparison[]): Comparison | undefined {
  return comparisons.find(({ verdict }) => verdict === 'differs') ?? comparisons.find(({ verdict }) => verdict === 'acknowledged');
}

function isZero(amount: string): boolean {
  return !/[1-9]/.test(amount);
}
