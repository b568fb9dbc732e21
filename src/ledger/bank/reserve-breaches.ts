import { sql } from 'kysely';
import type { Currency } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';

export interface ReserveBreach {
  currency: Currency;
  /** Minor units that are too many in circulation; negative when too few. */
  difference: bigint;
  foundAt: Date;
}

/** Stops issuing a currency. Returns false when it is stopped already; the first difference is kept. */
export async function recordBreach(ledger: Ledger, currency: Currency, difference: bigint): Promise<boolean> {
  const row = await ledger
    .insertInto('reserve_breaches')
    .values({ currency, difference })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The breaches that nobody has acknowledged. */
export async function openBreaches(ledger: Ledger): Promise<ReserveBreach[]> {
  return ledger
    .selectFrom('reserve_breaches')
    .where('acknowledged_at', 'is', null)
    .orderBy('currency')
    .select(['currency', 'difference', 'found_at as foundAt'])
    .execute();
}

/** The operator has looked into it: issuing goes on. Returns whether there was a breach to acknowledge. */
export async function acknowledgeBreach(ledger: Ledger, currency: Currency, operator: string): Promise<boolean> {
  const { numUpdatedRows } = await ledger
    .updateTable('reserve_breaches')
    .set({ acknowledged_at: sql`now()`, acknowledged_by: operator })
    .where('currency', '=', currency)
    .where('acknowledged_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The difference of each currency that an operator has looked into last: as long as it stays what it is, it is no news. */
export async function acknowledgedDifferences(ledger: Ledger): Promise<Map<Currency, bigint>> {
  const rows = await ledger
    .selectFrom('reserve_breaches')
    .where('acknowledged_at', 'is not', null)
    .distinctOn('currency')
    .orderBy('currency')
    .orderBy('acknowledged_at', 'desc')
    .select(['currency', 'difference'])
    .execute();
  return new Map(rows.map(({ currency, difference }) => [currency, difference]));
}
