import { sql } from 'kysely';
import type { Ledger } from '../ledger.ts';

/** Changes folded by one statement. */
const changesAtOnce = 20_000;

/**
 * Folds changes into the balances and days of their accounts, so that reading a balance costs what happened since and not the history. It
 * changes no balance, and any number of processes may do it at the same time. Returns whether there was nothing more to fold.
 */
export async function rollForward(ledger: Ledger): Promise<boolean> {
  const { rows } = await sql<{ folded: bigint }>`
      with taken as (
        delete from balance_changes where id in (select id from balance_changes order by id limit ${changesAtOnce} for update skip locked)
        returning account, currency, booked_on, debited, credited
      ), days as (
        insert into account_days as d (account, currency, day, debited, credited)
        select account, currency, booked_on, sum(debited), sum(credited) from taken group by 1, 2, 3 order by 1, 2, 3
        on conflict (account, currency, day) do update set debited = d.debited + excluded.debited, credited = d.credited + excluded.credited
      ), totals as (
        insert into balances as b (account, currency, debited, credited)
        select account, currency, sum(debited), sum(credited) from taken group by 1, 2 order by 1, 2
        on conflict (account, currency) do update set debited = b.debited + excluded.debited, credited = b.credited + excluded.credited
      )
      select count(*) as folded from taken
    `.execute(ledger);
  return Number(rows[0]?.folded ?? 0n) < changesAtOnce;
}
