import { sql } from 'kysely';
import type { Currency } from '../platform/money.ts';
import type { Ledger } from './ledger.ts';

/** Minor units of an address's orders whose tokens are not burnt yet; they are spoken for, though the chain still shows them. */
export async function pendingRedemptions(ledger: Ledger, chain: string, address: string, currency: Currency): Promise<bigint> {
  const { rows } = await sql<{ amount: bigint }>`
    select coalesce(sum(amount), 0)::bigint as amount from legs
    where chain = ${chain} and account = ${address} and currency = ${currency} and kind = 'redeem' and state in ('waiting', 'ready', 'sent')
  `.execute(ledger);
  return rows[0]?.amount ?? 0n;
}
