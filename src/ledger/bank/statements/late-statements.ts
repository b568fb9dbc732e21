import { sql } from 'kysely';
import { currencies, type Currency } from '../../../platform/money.ts';
import type { MasterAccount } from '../../../platform/settings/setting-values.ts';
import type { Ledger } from '../../ledger.ts';

/** An account of which no statement has come for a while. */
export interface LateStatements {
  account: string;
  /** Day that the latest statement closes, `YYYY-MM-DD`; null when none has ever come. */
  closedOn: string | null;
}

/** Which of the accounts have no statement that closes on a day after `before`. One index lookup for each account and currency. */
export async function lateStatements(ledger: Ledger, accounts: readonly MasterAccount[], before: Date): Promise<LateStatements[]> {
  const pairs = accounts.flatMap(({ account, currency }) =>
    (currency ? [currency] : currencies).map((each): [string, Currency] => [account, each]),
  );
  if (pairs.length === 0) return [];
  const { rows } = await sql<LateStatements>`
    select a.account, max(s.closed_on)::text as "closedOn"
    from unnest(${pairs.map(([account]) => account)}::text[], ${pairs.map(([, currency]) => currency)}::text[]) a (account, currency)
    left join lateral (
      select closed_on from bank_statements s where s.account = a.account and s.currency = a.currency order by closed_on desc limit 1
    ) s on true
    group by a.account having coalesce(max(s.closed_on) <= ${before.toISOString().slice(0, 10)}::date, true) order by a.account
  `.execute(ledger);
  return rows;
}
