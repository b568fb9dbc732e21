import { type RawBuilder, sql } from 'kysely';
import { hiddenFromPlanner } from '../../hidden-from-planner.ts';

/**
 * SQL of parts of a statement, of which `legs_begun` returns the rows of `leg_history`: legs begin. `legs` is a query for their order, kind, position, chain,
 * currency, account, amount (minor units), state, who signed them, why they are held and until when. An order has one leg of a kind: a second one fails the
 * statement, or is left out.
 */
export function beginLegs(legs: RawBuilder<unknown>, second: 'fails' | 'is left out' = 'fails'): RawBuilder<unknown> {
  return sql`
    new_legs as materialized (
      select uuidv7() as id, l.* from (${legs}) l (order_id, kind, position, chain, currency, account, amount, state, signed_by, held_for, held_until)
    ), legs_begun as (
      insert into leg_history (id, order_id, kind, position, chain, currency, account, amount, signed_by)
      select id, order_id, kind, position, chain, currency, account, amount, signed_by from new_legs
      ${second === 'fails' ? sql`` : sql`on conflict (order_id, kind) do nothing`}
      returning *
    ), legs_opened as (
      insert into open_legs (id, order_id, kind, position, chain, currency, account, amount, signed_by, created_at, state, held_for, held_until)
      select id, order_id, kind, position, chain, currency, account, amount, signed_by, now(), state, held_for, held_until from new_legs
      where ${hiddenFromPlanner(sql`id in (select id from legs_begun)`)}
    )`;
}
