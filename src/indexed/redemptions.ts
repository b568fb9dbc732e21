import type { Pool } from 'pg';
import type { Chain } from '../platform/chains.ts';
import { isMissingTable } from './progress.ts';
import { viewsSchema } from './schema-names.ts';

/** Which of these order ids have an indexed redeem outcome. Their tokens are already missing in the indexed balances. */
export type FindIndexedRedemptions = (chain: Chain, orderIds: readonly string[]) => Promise<string[]>;

/** Finds redemptions in the indexed rows. Before the indexer has tables there are none. */
export function createRedemptionFinder(pool: Pool): FindIndexedRedemptions {
  return async (chain, orderIds) => {
    try {
      const { rows } = await pool.query<{ id: string }>(
        `select distinct order_id as id from "${viewsSchema(chain)}".outcome where kind = 'redeem' and order_id = any($1::text[])`,
        [orderIds],
      );
      return rows.map(({ id }) => id);
    } catch (error) {
      if (isMissingTable(error)) return [];
      throw error;
    }
  };
}
