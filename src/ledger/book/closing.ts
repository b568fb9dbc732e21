import { sql } from 'kysely';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';
import { currentBalances } from './balances.ts';

/** An account of the book on one day; all amounts are minor units. */
export interface AccountDay {
  account: string;
  currency: string;
  /** Balance at the end of the day before: positive for an asset, negative for a liability. */
  opening: MinorUnits;
  /** Sums of the day's debits and credits, both at least zero. */
  debited: MinorUnits;
  credited: MinorUnits;
  /** Balance at the end of the day. */
  closing: MinorUnits;
}

/** Each account on a day (`YYYY-MM-DD`), by account and currency, as far as it is booked now: of a day that is not over, the movements so far. */
export async function readAccountDays(ledger: Ledger, day: string): Promise<AccountDay[]> {
  const { rows } = await sql<Record<keyof AccountDay, string>>`
    with movements as (
      select account, currency, day, debited, credited from account_days where day >= ${day}::date
      union all
      select account, currency, booked_on, debited, credited from balance_changes where booked_on >= ${day}::date
    ), since as (
      select account, currency,
        coalesce(sum(debited) filter (where day = ${day}::date), 0) as debited,
        coalesce(sum(credited) filter (where day = ${day}::date), 0) as credited,
        coalesce(sum(debited - credited) filter (where day > ${day}::date), 0) as later
      from movements group by account, currency
    )
    select b.account, b.currency,
      (b.amount - coalesce(s.later, 0) - coalesce(s.debited - s.credited, 0))::text as opening,
      coalesce(s.debited, 0)::text as debited, coalesce(s.credited, 0)::text as credited,
      (b.amount - coalesce(s.later, 0))::text as closing
    from ${currentBalances} b left join since s on s.account = b.account and s.currency = b.currency
    order by b.account, b.currency
  `.execute(ledger);
  return rows.map(({ account, currency, opening, debited, credited, closing }) => ({
    account,
    currency,
    opening: amountOf(opening),
    debited: amountOf(debited),
    credited: amountOf(credited),
    closing: amountOf(closing),
  }));
}

function amountOf(text: string): MinorUnits {
  return minorUnits(BigInt(text));
}
