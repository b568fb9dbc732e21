import { type QueryExecutorProvider, sql } from 'kysely';
import type { LowerAddress } from '../platform/addresses.ts';
import type { Chain } from '../platform/chains.ts';
import { indexedOutcomes } from './outcomes.ts';
import { readIndexed } from './read-indexed.ts';

/** An order whose redeem leg is open, with the EIP-191 hash of its message. */
export interface OpenRedemption {
  orderId: string;
  messageHash: string;
}

/** Which of an account's open redemptions are burnt by the indexed rows: their order ids. The indexed balances lack their tokens already. */
export type FindIndexedRedemptions = (chain: Chain, account: LowerAddress, open: readonly OpenRedemption[]) => Promise<string[]>;

/**
 * Finds redemptions in the indexed rows, by their messages: anyone with an operator's key can send a message under another order id. Before the
 * indexer has tables there are none.
 */
export function createRedemptionFinder(database: QueryExecutorProvider): FindIndexedRedemptions {
  return async (chain, account, open) => {
    const query = sql<{ messageHash: string }>`
      select message_hash from ${indexedOutcomes(chain)} o
      where kind = 'redeem' and refused is null and account = ${account}
        and message_hash = any(${open.map(({ messageHash }) => messageHash)}::text[])`;
    const { rows = [] } = (await readIndexed(() => query.execute(database))) ?? {};
    const burnt = new Set(rows.map(({ messageHash }) => messageHash));
    return open.flatMap(({ orderId, messageHash }) => (burnt.has(messageHash) ? [orderId] : []));
  };
}
