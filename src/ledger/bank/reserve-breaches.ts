import { sql } from 'kysely';
import type { Currency, MinorUnits } from '../../platform/money.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import { laneQueue } from '../wake-ups.ts';

/** An open breach: the tokens in circulation and the money behind them differ. */
export interface ReserveBreach {
  currency: Currency;
  /** How much too much is in circulation; negative when it is too little. */
  difference: MinorUnits;
  foundAt: Date;
}

/** Records a breach, which stops the issuing of a currency. Returns false when there is an open breach, whose difference is kept. */
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

/** An operator acknowledges a breach: issuing goes on. Returns whether there was a breach to acknowledge. */
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

/** The difference of each currency that an operator acknowledged last: it is no new breach as long as it does not change. */
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
