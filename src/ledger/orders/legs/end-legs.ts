import { type RawBuilder, sql } from 'kysely';

/**
 * SQL of parts of a statement, of which `ended` returns the rows of `leg_history`: open legs end. Deleting the row is the guard: of two transactions that end a
 * leg, one has an effect. `which` follows `delete from open_legs l`, and names the legs; `outcome` are the columns `outcome`, `tx_hash`, `block_number` and
 * `reason` of each.
 */
export function endLegs(which: RawBuilder<unknown>, outcome: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    closed (id, token, sequence, transaction, outcome, tx_hash, block_number, reason) as (
      delete from open_legs l ${which} returning l.id, l.token, l.sequence, l.transaction, ${outcome}
    ), ended as (
      update leg_history h set outcome = c.outcome, token = c.token, sequence = c.sequence, transaction = c.transaction,
        tx_hash = c.tx_hash, block_number = c.block_number, reason = c.reason, done_at = now()
      from closed c where h.id = any(array[c.id])
      returning h.*
    )`;
}

/** SQL: the columns of the outcome of a leg that never happens. */
export const isVoid = sql`'void', null::text, null::bigint, null::text`;
