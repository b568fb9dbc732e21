import { type RawBuilder, sql } from 'kysely';
import type { Chain } from '../platform/chains.ts';
import { viewsSchema } from './schema-names.ts';

/**
 * SQL of a relation: what the token contracts of a chain decided of orders' legs, one row for each decision. Its columns are
 * `order_id` (text), `kind`, `tx_hash`, `token`, `account`, `amount` (token units, numeric), `block_number` (bigint) and `refused`:
 * the reason, or null when the leg was carried out. Reading it fails as {@link readIndexed} expects while there are no tables.
 */
export function indexedOutcomes(chain: Chain): RawBuilder<unknown> {
  return sql`(
    select order_id, kind, tx_hash, token, account, amount, block_number::bigint as block_number, refused
    from ${sql.id(viewsSchema(chain))}.outcome)`;
}
