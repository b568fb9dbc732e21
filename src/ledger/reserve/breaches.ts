import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { openRecovery } from '../recoveries.ts';
import { laneQueue, payoutQueue } from '../wake-ups.ts';
import { type ComparisonItem, type ComparisonSubject, readItems, subjectKey } from './comparison.ts';

/** A difference that lasts and that nobody has acknowledged. Nothing is issued of its currency. */
export interface Breach extends ComparisonSubject {
  id: string;
  /** Minor units, without what was acknowledged before. It follows the comparison until the breach is acknowledged. */
  difference: MinorUnits;
  foundAt: Date;
}

/** A breach that an operator has acknowledged, and whose difference lasts. */
export interface AcknowledgedBreach extends Breach {
  acknowledgedAt: Date;
  acknowledgedBy: string;
  reason: string;
  /** What explains the difference; they add up to it. */
  items: ComparisonItem[];
}

/** The columns of a {@link Breach}. */
export const breachColumns = ['id', 'comparison', 'currency', 'account', 'chain', 'difference', 'foundAt'] as const;

/** The breaches that nobody has acknowledged, by currency. */
export async function openBreaches(ledger: Ledger): Promise<Breach[]> {
  const rows = await ledger
    .selectFrom('reserveBreaches')
    .where('acknowledgedAt', 'is', null)
    .orderBy('currency')
    .orderBy('comparison')
    .orderBy('account')
    .select(breachColumns)
    .execute();
  return rows.map(toBreach);
}

/** The breaches that an operator has acknowledged and whose difference lasts, the oldest first. */
export async function acknowledgedBreaches(ledger: Ledger): Promise<AcknowledgedBreach[]> {
  const rows = await ledger
    .selectFrom('reserveBreaches')
    .where('acknowledgedAt', 'is not', null)
    .where('endedAt', 'is', null)
    .orderBy('currency')
    .orderBy('acknowledgedAt')
    .select(breachColumns)
    .select(['acknowledgedAt', 'acknowledgedBy', 'reason', 'items'])
    .execute();
  return rows.map(({ acknowledgedAt, acknowledgedBy, reason, items, ...row }) =>
    Object.assign(toBreach(row), {
      acknowledgedAt: acknowledgedAt as Date,
      acknowledgedBy: acknowledgedBy ?? '',
      reason: reason ?? '',
      items: readItems(items ?? []),
    }),
  );
}

/** Of every subject the difference of its breach that nobody has acknowledged, and the sum of those that an operator has. */
export type KnownDifferences = Record<'open' | 'acknowledged', Map<string, MinorUnits>>;

/** A breach that is open or acknowledged and has not ended. */
export interface DifferenceRow extends ComparisonSubject {
  difference: string;
  acknowledgedAt: Date | null;
}

/** What these are together, by {@link subjectKey}. */
export function knownDifferences(rows: readonly DifferenceRow[]): KnownDifferences {
  const breaches = rows.map(toBreach);
  const open = breaches.filter(({ acknowledgedAt }) => acknowledgedAt === null);
  return {
    open: new Map(open.map((breach) => [subjectKey(breach), breach.difference])),
    acknowledged: acknowledgedSums(breaches.filter(({ acknowledgedAt }) => acknowledgedAt !== null)),
  };
}

/** A breach of a row with {@link breachColumns}. */
export function toBreach<Row extends { difference: string }>(row: Row): Omit<Row, 'difference'> & { difference: MinorUnits } {
  return { ...row, difference: minorUnits(BigInt(row.difference)) };
}

/**
 * Records a breach, which stops issuing of its currency; where the subject has an open one, its difference becomes this one. `difference` is
 * without what was acknowledged before. Returns whether the breach is new.
 */
export async function recordBreach(ledger: Ledger, subject: ComparisonSubject, difference: MinorUnits): Promise<boolean> {
  const { comparison, currency, account, chain } = subject;
  // Who updates a row has locked it, so `xmax` is its transaction; a row that is new has none.
  const { rows } = await sql<{ isNew: boolean }>`
    insert into reserve_breaches (comparison, currency, account, chain, difference)
    values (${comparison}, ${currency}, ${account}, ${chain}, ${difference.toString()}::numeric)
    on conflict (currency, comparison, account) where acknowledged_at is null do update set difference = excluded.difference
    returning xmax = 0 as "isNew"
  `.execute(ledger);
  return rows[0]?.isNew ?? false;
}

/** An open breach has the difference of the moment, which may be zero: it stays until it is acknowledged. */
export async function updateBreach(
  ledger: Ledger,
  { comparison, currency, account }: ComparisonSubject,
  difference: MinorUnits,
): Promise<void> {
  await ledger
    .updateTable('reserveBreaches')
    .set({ difference: difference.toString() })
    .where('comparison', '=', comparison)
    .where('currency', '=', currency)
    .where('account', '=', account)
    .where('acknowledgedAt', 'is', null)
    .execute();
}

/** Under this name the ledger ends a breach whose cause is gone. */
const endedBy = 'mintrail';

/**
 * The open breach of a subject is over by itself, because later reports explain its difference: it ends, recorded with the reason, and its currency goes on when it was
 * the last one. Returns whether there was one. Does nothing while a recovery is open.
 */
export async function endBreach(ledger: Ledger, { comparison, currency, account }: ComparisonSubject, reason: string): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    if ((await openRecovery(tx)) !== undefined) return false;
    const ended = await tx
      .updateTable('reserveBreaches')
      .set({ acknowledgedAt: sql`now()`, acknowledgedBy: endedBy, reason, endedAt: sql`now()` })
      .where('comparison', '=', comparison)
      .where('currency', '=', currency)
      .where('account', '=', account)
      .where('acknowledgedAt', 'is', null)
      .returning('id')
      .execute();
    if (ended.length > 0) await wakeIssuers(tx, currency);
    return ended.length > 0;
  });
}

/** The difference of a subject is gone: what was acknowledged explains nothing any more, and the same difference would be a new breach. */
export async function endAcknowledgements(ledger: Ledger, { comparison, currency, account }: ComparisonSubject): Promise<void> {
  await ledger
    .updateTable('reserveBreaches')
    .set({ endedAt: sql`now()` })
    .where('comparison', '=', comparison)
    .where('currency', '=', currency)
    .where('account', '=', account)
    .where('acknowledgedAt', 'is not', null)
    .where('endedAt', 'is', null)
    .execute();
}

/** Issue legs and payments may have waited for the breach. */
export async function wakeIssuers(tx: LedgerTransaction, currency: string): Promise<void> {
  const { rows } = await sql<{ chain: Chain }>`
    select distinct chain from open_legs where state = 'ready' and kind = 'issue' and currency = ${currency}
  `.execute(tx);
  tx.wakeUps.add(payoutQueue, ...rows.map(({ chain }) => laneQueue(chain)));
}

/** What is acknowledged of each subject, in minor units, by {@link subjectKey}. */
export function acknowledgedSums(breaches: readonly (ComparisonSubject & Pick<Breach, 'difference'>)[]): Map<string, MinorUnits> {
  const sums = new Map<string, MinorUnits>();
  for (const breach of breaches) {
    const key = subjectKey(breach);
    sums.set(key, minorUnits((sums.get(key) ?? 0n) + breach.difference));
  }
  return sums;
}
