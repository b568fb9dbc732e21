import { type RawBuilder, sql } from 'kysely';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';

/** What an account of the book holds of a currency. */
export interface Balance {
  account: string;
  currency: string;
  /** Minor units: debits less credits, so that it is positive for an asset and negative for a liability. */
  amount: MinorUnits;
}

/** SQL of a relation: the balances of all accounts, exact in the snapshot that reads it. Its columns are `account`, `currency`, `amount` (numeric). */
export const currentBalances = sql`(
  select account, currency, sum(debited) - sum(credited) as amount from (
    select account, currency, debited, credited from balances
    union all select account, currency, debited, credited from balance_changes
  ) b group by account, currency)`;

/** The balances of all accounts, by account and currency. */
export async function readBalances(ledger: Ledger): Promise<Balance[]> {
  const { rows } = await sql<{ account: string; currency: string; amount: string }>`
    select account, currency, amount::text from ${currentBalances} b order by account, currency
  `.execute(ledger);
  return rows.map(({ account, currency, amount }) => ({ account, currency, amount: minorUnits(BigInt(amount)) }));
}

/** The sum of all balances of each currency: zero, or the book is damaged. Minor units. */
export async function trialBalance(ledger: Ledger): Promise<Map<string, MinorUnits>> {
  const { rows } = await sql<{ currency: string; amount: string }>`
    select currency, sum(amount)::text as amount from ${currentBalances} b group by currency order by currency
  `.execute(ledger);
  return new Map(rows.map(({ currency, amount }) => [currency, minorUnits(BigInt(amount))]));
}

/** SQL: the balance of an account at the end of a day, by booking days: numeric, 0 for an account without postings. */
export function balanceOn(account: RawBuilder<string>, currency: RawBuilder<unknown>, day: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`(
    select coalesce(sum(b.amount), 0) from (
      select account, currency, debited - credited as amount from balances
      union all select account, currency, debited - credited from balance_changes where booked_on <= ${day}
      union all select account, currency, credited - debited from account_days where day > ${day}
    ) b where b.account = ${account} and b.currency = ${currency})`;
}
