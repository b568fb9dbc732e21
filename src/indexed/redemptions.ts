import { type QueryExecutorProvider, sql } from 'kysely';
import type { Chain } from '../platform/chains.ts';
import { indexedOutcomes } from './outcomes.ts';
import { readIndexed } from './read-indexed.ts';

/** Which of these order ids have an indexed redeem outcome. Their tokens are already missing in the indexed balances. */
export type FindIndexedRedemptions = (chain: Chain, orderIds: readonly string[]) => Promise<string[]>;

/** Finds redemptions in the indexed rows. Before the indexer has tables there are none. */
export function createRedemptionFinder(database: QueryExecutorProvider): FindIndexedRedemptions {
  return async (chain, orderIds) => {
    const query = sql<{ id: string }>`
      select distinct order_id as id from ${indexedOutcomes(chain)} o where kind = 'redeem' and order_id = any(${orderIds}::text[])`;
    const result = await readIndexed(() => query.execute(database));
    return (result?.rows ?? []).map(({ id }) => id);
  };
}
