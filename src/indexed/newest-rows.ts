import { type RawBuilder, sql } from 'kysely';
import type { Chain } from '../platform/chains.ts';
import { indexedOutcomes } from './outcomes.ts';
import { viewsSchema } from './schema-names.ts';

/**
 * SQL of a relation: the leg of a chain that was settled last, if any. Its columns are `kind`, `token`, `account`, `sequence` (of an issue) and
 * `message_hash` (of a redemption).
 */
export type NewestSettled = (chain: Chain) => RawBuilder<unknown>;

/**
 * SQL of a condition: whether the indexed rows of a chain reach at least to the leg that was settled last, and no damage of the balances is known. For seconds after a restart
 * Ponder's newest rows are missing, which its own `is_ready` does not always say, and a sum without them would be wrong. Belongs
 * into the statement that reads the rows, so that both see one snapshot.
 */
export function hasNewestRows(chain: Chain, newestSettled: NewestSettled): RawBuilder<boolean> {
  return sql<boolean>`not exists (select from index_rebuilds where chain = ${chain} and holds_balances and ended_at is null) and not exists (
    select from ${newestSettled(chain)} settled where case settled.kind
      when 'issue' then not exists (
        select from ${indexedOutcomes(chain)} o where o.kind = 'issue' and o.token = settled.token and o.sequence = settled.sequence and o.refused is null)
      else not exists (
        select from ${indexedOutcomes(chain)} o
        where o.kind = 'redeem' and o.message_hash = settled.message_hash and o.account = settled.account
          and o.token = settled.token and o.refused is null)
    end)`;
}

/** SQL of a condition: whether Ponder calls itself ready, and its newest rows are there. For a statement as {@link hasNewestRows}. */
export function isComplete(chain: Chain, newestSettled: NewestSettled): RawBuilder<boolean> {
  const isReady = sql`select value ->> 'is_ready' = '1' from ${sql.id(viewsSchema(chain))}._ponder_meta where key = 'app'`;
  return sql<boolean>`(coalesce((${isReady}), false) and ${hasNewestRows(chain, newestSettled)})`;
}
