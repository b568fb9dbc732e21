import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../ledger.ts';

/**
 * The block of a chain up to which every outcome is known to this ledger. Before the first audit that is the block of the newest leg that was
 * settled; 0 where there is none.
 */
export async function auditedBlock(ledger: Ledger, chain: Chain): Promise<bigint> {
  const { rows } = await sql<{ block: bigint }>`
    select coalesce(
      (select block from outcome_audits where chain = ${chain}),
      (select block_number from legs where chain = ${chain} and state = 'done' and block_number is not null order by block_number desc limit 1),
      0)::bigint as block
  `.execute(ledger);
  return rows[0]?.block ?? 0n;
}

/** Records that every outcome of a chain up to a block is known to this ledger. It never goes back. */
export async function recordAudit(ledger: Ledger, chain: Chain, block: bigint): Promise<void> {
  await sql`
    insert into outcome_audits (chain, block) values (${chain}, ${block})
    on conflict (chain) do update set block = excluded.block where outcome_audits.block < excluded.block
  `.execute(ledger);
}
