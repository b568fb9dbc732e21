import { type RawBuilder, sql } from 'kysely';
import type { Chain } from '../platform/chains.ts';
import { invalidSignature } from './refusals.ts';
import { viewsSchema } from './schema-names.ts';

/**
 * SQL of a relation: what the token contracts of a chain decided of orders' legs, one row for each decision. Its columns are `kind`,
 * `tx_hash`, `block_number` (bigint), `token`, `order_id` (text), `account`, `amount` (token units, numeric), `sequence` (numeric; of an issue),
 * `message_hash` (of a redemption), `refused`: the reason, or null when the leg was carried out, and `signature_refused`: whether
 * the reason is a false signature, which anyone with an operator's key can send. Reading it fails as {@link readIndexed} expects while there
 * are no tables.
 */
export function indexedOutcomes(chain: Chain): RawBuilder<unknown> {
  return outcomesWhere(chain, sql`true`);
}

/** SQL of a relation as {@link indexedOutcomes}, of the blocks behind `after`: its cost does not grow with what is before. */
export function indexedOutcomesBehind(chain: Chain, after: bigint): RawBuilder<unknown> {
  return outcomesWhere(chain, sql`block_number > ${after}::numeric`);
}

/** SQL of a relation as {@link indexedOutcomes}, of the blocks behind `after` up to `upTo`: its cost does not grow with what is before. */
export function indexedOutcomesBetween(chain: Chain, after: bigint, upTo: bigint): RawBuilder<unknown> {
  return outcomesWhere(chain, sql`block_number > ${after}::numeric and block_number <= ${upTo}::numeric`);
}

function outcomesWhere(chain: Chain, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select kind, tx_hash, block_number::bigint as block_number, token, order_id, account, amount, sequence, message_hash, refused,
      coalesce(refused = ${sql.lit(invalidSignature)}, false) as signature_refused
    from ${sql.id(viewsSchema(chain))}.outcome where ${condition})`;
}
