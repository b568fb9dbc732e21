import { sql } from 'kysely';
import type { Ledger } from '../ledger.ts';
import type { LaneKey } from './lane-nonces.ts';

/** A transaction that is in a block, as the ledger has recorded it. */
export interface MinedTransaction {
  id: string;
  nonce: bigint;
  hash: string;
  blockNumber: bigint;
  /** Null for one that was recorded before block hashes were. */
  blockHash: string | null;
}

/** The newest mined transactions of a lane with nonces below `below`, the highest first; all of them when it is undefined. */
export async function newestMined(
  ledger: Ledger,
  { chain, signer }: LaneKey,
  below: bigint | undefined,
  limit: number,
): Promise<MinedTransaction[]> {
  const rows = await ledger
    .selectFrom('transactions')
    .where('chain', '=', chain)
    .where('signer', '=', signer)
    .where('state', '=', sql.lit('mined'))
    .$if(below !== undefined, (query) => query.where('nonce', '<', below as bigint))
    .orderBy('nonce', 'desc')
    .limit(limit)
    .select(['id', 'nonce', 'hash', 'blockNumber', 'blockHash'])
    .execute();
  return rows as MinedTransaction[];
}

/** Which mined transactions are looked at for closing: the `limit` lowest nonces above `above`. */
export interface ClosablePage extends LaneKey {
  above: bigint;
  /** Newest block that is deep enough. */
  upTo: bigint;
  limit: number;
}

/** A page of mined transactions with whether each can be closed: its block is deep enough and all its legs have ended. */
export async function closablePage(ledger: Ledger, page: ClosablePage): Promise<(MinedTransaction & { isClosable: boolean })[]> {
  const { rows } = await sql<MinedTransaction & { isClosable: boolean }>`
    select id, nonce, hash, block_number, block_hash,
      block_number <= ${page.upTo} and not exists (select from open_legs l where l.transaction = t.id) as is_closable
    from transactions t
    where chain = ${page.chain} and signer = ${page.signer} and state = 'mined' and nonce > ${page.above}
    order by nonce limit ${page.limit}
  `.execute(ledger);
  return rows;
}

/**
 * `mined` -> `settled`, unless a leg of it is still `sent`. Until then a transaction is tracked even when its orders are processed, and sent
 * again after a reorganisation.
 */
export async function closeSettled(ledger: Ledger, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update transactions t set state = 'settled'
    where t.id = any(${ids}::uuid[]) and t.state = 'mined'
      and not exists (select from open_legs l where l.transaction = t.id)
  `.execute(ledger);
}

/**
 * `mined` or `settled` -> `sent` for the lowest `limit` nonces from `from` on: a reorganisation took their blocks away, so they are broadcast
 * again, even those whose legs have ended. Returns which they are, and whether they were settled.
 */
export async function reopenFrom(
  ledger: Ledger,
  { chain, signer }: LaneKey,
  { from, atBlock, limit }: { from: bigint; atBlock: bigint; limit: number },
): Promise<{ id: string; nonce: bigint; wasSettled: boolean }[]> {
  const { rows } = await sql<{ id: string; nonce: bigint; wasSettled: boolean }>`
    with replaced as (
      select id, state from transactions
      where chain = ${chain} and signer = ${signer} and nonce >= ${from} and state in ('mined', 'settled')
      order by nonce limit ${limit} for update
    )
    update transactions t set
      state = 'sent', hash = null, block_number = null, block_hash = null, gas_used = null, mined_at = null, sent_at_block = ${atBlock},
      first_sent_at_block = ${atBlock}
    from replaced where replaced.id = t.id
    returning t.id, t.nonce, replaced.state = 'settled' as was_settled
  `.execute(ledger);
  return rows.toSorted((a, b) => (a.nonce < b.nonce ? -1 : 1));
}

/**
 * `reverted` -> `lost` from the nonce `from` on: a reorganisation took their blocks away, so they say nothing about their legs any more, which
 * were ready again since.
 */
export async function forgetReverts(ledger: Ledger, { chain, signer }: LaneKey, from: bigint): Promise<void> {
  await sql`
    with vanished as (
      update transactions set state = 'lost', hash = null, block_number = null, block_hash = null, gas_used = null, mined_at = null
      where chain = ${chain} and signer = ${signer} and nonce >= ${from} and state = 'reverted' returning id
    )
    update leg_failures f set outcome = 'lost', tx_hash = null, block_number = null from vanished where f.transaction = vanished.id
  `.execute(ledger);
}

/** The head went back to `block`: no transaction was sent at a later one. Waiting times are counted from there. */
export async function limitSentBlocks(ledger: Ledger, { chain, signer }: LaneKey, block: bigint): Promise<void> {
  await ledger
    .updateTable('transactions')
    .set({ sentAtBlock: block, firstSentAtBlock: block })
    .where('chain', '=', chain)
    .where('signer', '=', signer)
    .where('state', '=', sql.lit('sent'))
    .where('sentAtBlock', '>', block)
    .execute();
}
