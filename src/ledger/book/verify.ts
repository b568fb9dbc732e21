import { sql } from 'kysely';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import { currentBalances } from './balances.ts';

/** An account whose balance is not the sum of its postings: somebody changed one of them beside the ledger. Minor units. */
export interface BalanceError {
  account: string;
  currency: string;
  balance: MinorUnits;
  postings: MinorUnits;
}

/** Adds up all postings, archived ones too, and returns the accounts whose balance is another. It reads the whole journal, at one moment. */
export async function verifyBook(ledger: Ledger): Promise<BalanceError[]> {
  return inTransaction(ledger, async (tx) => {
    await sql`set transaction isolation level repeatable read read only`.execute(tx);
    const archived = await sql<{ name: string }>`
      select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'archive' and c.relkind = 'r' and c.relname like 'postings\\_%'
    `.execute(tx);
    const tables = [sql`postings`, ...archived.rows.map(({ name }) => sql.id('archive', name))];
    const sums = tables.map((table) => sql`select account, currency, sum(amount) as amount from ${table} group by account, currency`);
    const { rows } = await sql<Record<keyof BalanceError, string>>`
      with posted as (
        select account, currency, sum(amount) as amount from (${sql.join(sums, sql` union all `)}) p group by account, currency
      )
      select account, currency, coalesce(b.amount, 0)::text as balance, coalesce(p.amount, 0)::text as postings
      from posted p full join ${currentBalances} b using (account, currency)
      where coalesce(b.amount, 0) <> coalesce(p.amount, 0) order by account, currency
    `.execute(tx);
    return rows.map(({ account, currency, balance, postings }) => ({
      account,
      currency,
      balance: minorUnits(BigInt(balance)),
      postings: minorUnits(BigInt(postings)),
    }));
  });
}
