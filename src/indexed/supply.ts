import { type RawBuilder, sql } from 'kysely';
import type { Chain } from '../platform/chains.ts';
import { viewsSchema } from './schema-names.ts';

/** SQL of a relation: the tokens in circulation on a chain. Its columns are `chain`, `token` and `amount` (token units, numeric). */
export function indexedSupply(chain: Chain): RawBuilder<unknown> {
  return sql`(select ${chain}::text as chain, token, amount from ${sql.id(viewsSchema(chain))}.supply)`;
}
