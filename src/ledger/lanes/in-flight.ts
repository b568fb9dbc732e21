import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';

/** A transaction that is in no block yet, as an operator sees it. */
export interface TransactionInFlight {
  chain: Chain;
  signer: LowerAddress;
  nonce: bigint;
  kind: 'issue' | 'redeem' | 'cancel';
  currency: Currency | null;
  legs: number;
  /** How often it was signed, with other fees each time. */
  attempts: number;
  /** Of its newest attempt. */
  hash: string;
  /** Wei, of its newest attempt. */
  maxFeePerGas: bigint;
  createdAt: Date;
}

/** The transactions of all lanes that are in no block, by lane and nonce, `limit` at most. */
export async function transactionsInFlight(ledger: Ledger, limit: number): Promise<TransactionInFlight[]> {
  const { rows } = await sql<TransactionInFlight>`
    select t.chain, t.signer, t.nonce, t.kind, t.currency, t.created_at, a.hash, a.max_fee_per_gas::bigint as max_fee_per_gas, a.position + 1 as attempts,
      (select count(*)::int from legs where transaction = t.id) as legs
    from (select * from transactions where state = 'sent' order by chain, signer, nonce limit ${limit}) t
    cross join lateral (
      select hash, max_fee_per_gas, position from transaction_attempts where transaction = t.id order by position desc limit 1
    ) a
    order by t.chain, t.signer, t.nonce
  `.execute(ledger);
  return rows;
}
