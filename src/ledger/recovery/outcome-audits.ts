import { type RawBuilder, sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../ledger.ts';

/**
 * The block of a chain up to which every outcome is known to this ledger. Before the first audit that is the block of the newest leg that was
 * settled; 0 where there is none.
 */
export async function auditedBlock(ledger: Ledger, chain: Chain): Promise<bigint> {
  const { rows } = await sql<{ block: bigint }>`
    select coalesce((select block from outcome_audits where chain = ${chain}), ${newestSettledBlock(chain)})::bigint as block
  `.execute(ledger);
  return rows[0]?.block ?? 0n;
}

/** As {@link auditedBlock}, which is kept from now on: a leg that is settled later moves it no more. */
export async function keepAuditedBlock(ledger: Ledger, chain: Chain): Promise<bigint> {
  const { rows } = await sql<{ block: bigint }>`
    with kept as (
      insert into outcome_audits (chain, block) select ${chain}, ${newestSettledBlock(chain)}
      where not exists (select from outcome_audits where chain = ${chain}) on conflict do nothing returning block
    )
    select coalesce((select block from outcome_audits where chain = ${chain}), (select block from kept))::bigint as block
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

/** SQL: the time now by the database's clock, while a recovery is open since whose beginning a chain has not been compared; else null. */
export function awaitedComparison(chain: Chain): RawBuilder<Date | null> {
  return sql<Date | null>`(
    select clock_timestamp() from recoveries r where r.ended_at is null
      and not exists (select from outcome_audits a where a.chain = ${chain} and a.compared_at > r.began_at)
    limit 1)`;
}

/** A head of a chain, and since when it is known. */
export interface SeenHead {
  block: bigint;
  seenAt: Date;
}

/** Records that every outcome of a chain up to a head is known to this ledger. {@link recordAudit} says up to which block that is final. */
export async function recordComparison(ledger: Ledger, chain: Chain, { seenAt }: SeenHead): Promise<void> {
  const audited = await auditedBlock(ledger, chain);
  await sql`
    insert into outcome_audits (chain, block, compared_at) values (${chain}, ${audited}, ${seenAt})
    on conflict (chain) do update set compared_at = excluded.compared_at
  `.execute(ledger);
}

/**
 * Which of these chains, or where there are none of all that the ledger was used with, were not compared since the open recovery began; none when none
 * is open.
 */
export async function uncomparedChains(ledger: Ledger, chains: readonly Chain[]): Promise<Chain[]> {
  const { rows } = await sql<{ chain: Chain }>`
    select c.chain
    from recoveries r cross join (
      select unnest(${[...chains]}::text[]) as chain union select chain from networks where ${chains.length === 0}::boolean
    ) c
    where r.ended_at is null and not exists (select from outcome_audits a where a.chain = c.chain and a.compared_at > r.began_at)
    order by c.chain
  `.execute(ledger);
  return rows.map(({ chain }) => chain);
}

/** SQL of a value: the block of the newest leg of a chain that was settled; 0 where there is none. */
function newestSettledBlock(chain: Chain): RawBuilder<bigint> {
  return sql<bigint>`coalesce((
    select block_number from leg_history where chain = ${chain} and outcome = 'done' and block_number is not null order by block_number desc limit 1), 0)`;
}
