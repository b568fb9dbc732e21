import type { Pool } from 'pg';
import { isMissingTable } from '../../indexed/progress.ts';
import { viewsSchema } from '../../indexed/schema-names.ts';
import { openRedemptions, type TokenHolder } from '../../ledger/orders/pending-redemptions.ts';
import type { Holding } from '../../ledger/orders/redemption-rules.ts';
import type { ApiDependencies } from '../api.ts';

/** Which of some orders the token contract has decided, as far as the indexer has seen; their burning is in the indexed balance. */
export type ReadDecided = (chain: string, orders: readonly string[]) => Promise<string[]>;

export function createDecidedReader(pool: Pool): ReadDecided {
  return async (chain, orders) => {
    try {
      const { rows } = await pool.query<{ id: string }>(
        `select distinct order_id as id from "${viewsSchema(chain)}".outcome where kind = 'redeem' and order_id = any($1::text[])`,
        [orders],
      );
      return rows.map(({ id }) => id);
    } catch (error) {
      if (isMissingTable(error)) return [];
      throw error;
    }
  };
}

/**
 * What an address holds by the indexed rows, and which open orders that shows as burnt already: between the burning and its
 * confirmation an order would else count twice. First the orders, then the balance, so that no burning is missing in it.
 */
export async function readHolding({ ledger, readDecided, readBalances }: HoldingSources, holder: TokenHolder): Promise<Holding> {
  const { chain, address, currency } = holder;
  const open = await openRedemptions(ledger, holder);
  const burnt = open.length === 0 ? [] : await readDecided(chain, open);
  const { [currency]: units = 0n } = await readBalances(chain, address, [currency]);
  return { units, burnt };
}

type HoldingSources = Pick<ApiDependencies, 'ledger' | 'readDecided' | 'readBalances'>;
