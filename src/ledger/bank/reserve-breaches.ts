import { sql } from 'kysely';
import type { Currency, MinorUnits } from '../../platform/money.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import { laneQueue } from '../queues.ts';

export interface ReserveBreach {
  currency: Currency;
  /** Minor units that are too many in circulation; negative when too few. */
  difference: MinorUnits;
  foundAt: Date;
}

/** Stops issuing a currency. Returns false when it is stopped already; the first difference is kept. */
export async function recordBreach(ledger: Ledger, currency: Currency, difference: MinorUnits): Promise<boolean> {
  const row = await ledger
    .insertInto('reserveBreaches')
    .values({ currency, difference })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The breaches that nobody has acknowledged. */
export async function openBreaches(ledger: Ledger): Promise<ReserveBreach[]> {
  return ledger
    .selectFrom('reserveBreaches')
    .where('acknowledgedAt', 'is', null)
    .orderBy('currency')
    .select(['currency', 'difference', 'foundAt'])
    .execute();
}

/** The operator has looked into it: issuing goes on. Returns whether there was a breach to acknowledge. */
export async function acknowledgeBreach(ledger: Ledger, currency: Currency, operator: string): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('reserveBreaches')
      .set({ acknowledgedAt: sql`now()`, acknowledgedBy: operator })
      .where('currency', '=', currency)
      .where('acknowledgedAt', 'is', null)
      .executeTakeFirst();
    const waiting = tx.selectFrom('legs').select('chain').distinct().where('state', '=', 'ready').where('kind', '=', 'issue');
    for (const { chain } of await waiting.where('currency', '=', currency).execute()) if (chain !== null) tx.wakeUps.add(laneQueue(chain));
    return numUpdatedRows > 0n;
  });
}

/** The difference of each currency that an operator has looked into last: as long as it stays what it is, it is no news. */
export async function acknowledgedDifferences(ledger: Ledger): Promise<Map<Currency, MinorUnits>> {
  const rows = await ledger
    .selectFrom('reserveBreaches')
    .where('acknowledgedAt', 'is not', null)
    .distinctOn('currency')
    .orderBy('currency')
    .orderBy('acknowledgedAt', 'desc')
    .select(['currency', 'difference'])
    .execute();
  return new Map(rows.map(({ currency, difference }) => [currency, difference]));
}
