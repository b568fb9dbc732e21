import { type RawBuilder, sql } from 'kysely';
import { type Chain, chainFacts } from '../../platform/chains.ts';
import type { Ledger, LedgerTransaction } from '../ledger.ts';

/** The first wait of a contract account whose redemption failed on chain, in seconds; each further failure doubles it. */
const firstWaitSeconds = 60;

/** Doublings at most: the longest wait is 1,024 minutes, about 17 hours. */
const mostDoublings = 10;

/**
 * Lets the contract accounts among decided redemptions wait when the chain refused one, longer with each: the gas was the operator's. A redemption
 * that succeeded takes one failure back. `legs` are the ids of legs that have just ended; others than redemptions signed by contracts do nothing.
 */
export async function recordAccountOutcomes(tx: LedgerTransaction, legs: readonly string[]): Promise<void> {
  const { rows } = await sql<{ id: string; state: 'done' | 'refused' }>`
    select id, outcome as state from leg_history where id = any(${legs}::uuid[]) and kind = 'redeem' and signed_by = 'contract' and tx_hash is not null
  `.execute(tx);
  const idsOf = (state: 'done' | 'refused') => rows.filter((leg) => leg.state === state).map(({ id }) => id);
  const [refused, done] = [idsOf('refused'), idsOf('done')];
  if (refused.length > 0) await extendBackoffs(tx, sql`id = any(${refused}::uuid[])`);
  if (done.length > 0) await shortenBackoffs(tx, done);
}

/** Lets the account of a redemption wait that reverted in a batch of its own, for no reason but its own, or that the nodes refused there for good. */
export async function recordLoneRevert(tx: LedgerTransaction, leg: string): Promise<void> {
  await extendBackoffs(tx, sql`id = ${leg} and signed_by = 'contract'`);
}

/**
 * Begins the waits of the accounts whose failures have become known since the last call: they end that many blocks after `block`, which is the
 * head. A failure becomes known when it is confirmed, which may be long after its own block.
 */
export async function beginBackoffs(ledger: Ledger, chain: Chain, block: bigint): Promise<void> {
  await sql`
    update account_backoffs set until_block = ${endOfWait(chain, block)} where chain = ${chain} and until_block is null
  `.execute(ledger);
}

/**
 * The head went back to `block`, or was not known before: no wait ends later than one that begins now. One that began at a head that was never
 * reached would last for ever. Reads all waits of the chain.
 */
export async function limitBackoffs(ledger: Ledger, chain: Chain, block: bigint): Promise<void> {
  const end = endOfWait(chain, block);
  await sql`update account_backoffs set until_block = ${end} where chain = ${chain} and until_block > ${end}`.execute(ledger);
}

/** SQL: the end of a wait that begins at `block`, by the failures of its account. */
function endOfWait(chain: Chain, block: bigint): RawBuilder<bigint> {
  const firstWait = Math.ceil(firstWaitSeconds / chainFacts(chain).blockTimeSeconds);
  return sql`${block}::bigint + (${firstWait}::bigint << least(failures - 1, ${mostDoublings}))`;
}

/** `failed` is the condition of legs, each of which is one failure. */
async function extendBackoffs(tx: LedgerTransaction, failed: RawBuilder<unknown>): Promise<void> {
  // In the order of the key, so that two transactions with the same accounts do not wait for each other.
  await sql`
    insert into account_backoffs as b (chain, account, failures)
    select chain, account, count(*) from leg_history where ${failed} group by chain, account order by chain, account
    on conflict (chain, account) do update set failures = b.failures + excluded.failures, until_block = null
  `.execute(tx);
}

async function shortenBackoffs(tx: LedgerTransaction, legs: readonly string[]): Promise<void> {
  await sql`
    with succeeded as (
      select b.chain, b.account, count(*) as redemptions
      from leg_history l join account_backoffs b on b.chain = l.chain and b.account = l.account
      where l.id = any(${legs}::uuid[]) group by b.chain, b.account
    ), ended as (
      delete from account_backoffs b using succeeded s
      where b.chain = s.chain and b.account = s.account and b.failures <= s.redemptions
    )
    update account_backoffs b set failures = b.failures - s.redemptions
    from succeeded s where b.chain = s.chain and b.account = s.account and b.failures > s.redemptions
  `.execute(tx);
}
