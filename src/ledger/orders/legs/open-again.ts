import { type RawBuilder, sql } from 'kysely';
import { hiddenFromPlanner } from '../../hidden-from-planner.ts';

/**
 * SQL of parts of a statement, of which `opened_again` returns the rows of `open_legs`: refused legs are ready again, without a number or a transaction, and the
 * refusal is noted as a failure. `refused` is a query for their rows of `leg_history`. Outcomes up to the block of the refusal do not count for them any more.
 */
export function openAgain(refused: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    refused_legs as materialized (${refused}),
    not_refused as (
      update leg_history h set outcome = null, done_at = null, token = null, sequence = null, transaction = null, tx_hash = null, block_number = null, reason = null
      from refused_legs r where h.id = any(array[r.id]) and ${hiddenFromPlanner(sql`h.outcome = 'refused'`)}
      returning h.id
    ), noted as (
      insert into leg_failures (leg, outcome, transaction, tx_hash, block_number, reason, at)
      select id, 'refused', transaction, tx_hash, block_number, reason, done_at from refused_legs join not_refused using (id)
    ), opened_again as (
      insert into open_legs (id, order_id, kind, position, chain, currency, account, amount, signed_by, created_at, state, after_block)
      select id, order_id, kind, position, chain, currency, account, amount, signed_by, created_at, 'ready', block_number
      from refused_legs join not_refused using (id)
      returning *
    )`;
}
