import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../ledger.ts';

/** What a signer's transactions that are in no block may cost together. */
export interface UnminedCost {
  transactions: number;
  /** Gas limit times the highest fee that an attempt offers, summed up. */
  gasWei: bigint;
  /** Bytes of the longest signed transaction; 0 when there is none. */
  longestBytes: number;
}

/** What the transactions of a signer that are in no block may still cost: any of their attempts may be the one that is mined. */
export async function unminedCost(ledger: Ledger, chain: Chain, signer: LowerAddress): Promise<UnminedCost> {
  const { rows } = await sql<{ transactions: number; gasWei: string; longestBytes: number }>`
    select count(*)::int as transactions,
      coalesce(sum(t.gas_limit::numeric * a.highest_fee), 0)::text as gas_wei,
      coalesce(max(a.longest_bytes), 0)::int as longest_bytes
    from transactions t
    cross join lateral (
      select max(max_fee_per_gas) as highest_fee, max(length(raw) / 2 - 1) as longest_bytes from transaction_attempts where transaction = t.id
    ) a
    where t.chain = ${chain} and t.signer = ${signer} and t.state = 'sent'
  `.execute(ledger);
  const [{ transactions, gasWei, longestBytes }] = rows as [(typeof rows)[number]];
  return { transactions, gasWei: BigInt(gasWei), longestBytes };
}

/** Counts a refusal for good of a transaction's newest attempt, at the head `block`. Does nothing for one that is not `sent`. */
export async function recordRefusal(ledger: Ledger, transaction: string, block: bigint): Promise<void> {
  await sql`
    update transactions set refusals = least(refusals + 1, 1000), refused_since_block = coalesce(refused_since_block, ${block})
    where id = ${transaction} and state = 'sent'
  `.execute(ledger);
}

/** A node has the transaction, or refuses it for another reason: earlier refusals for good no longer count. */
export async function forgetRefusals(ledger: Ledger, transaction: string): Promise<void> {
  await ledger.updateTable('transactions').set({ refusals: 0, refusedSinceBlock: null }).where('id', '=', transaction).execute();
}
