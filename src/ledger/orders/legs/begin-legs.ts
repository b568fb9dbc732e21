import { type RawBuilder, sql } from 'kysely';

/**
 * SQL of parts of a statement, of which `legs_begun` returns the rows of `leg_history`: legs begin. `legs` is a query for their order, kind, position, chain,
 * currency, account, amount (minor units), state, who signed them, why they are held and until when. An order has one leg of a kind: a second one fails the
 * statement, or is left out.
 */
export function beginLegs(legs: RawBuilder<unknown>, second: 'fails' | 'is left out' = 'fails'): RawBuilder<unknown> {
  return sql`
    new_legs (order_id, kind, position, chain, currency, account, amount, state, signed_by, held_for, held_until) as materialized (${legs}),
    legs_begun as (
      insert into leg_history (order_id, kind, position, chain, currency, account, amount, signed_by)
      select order_id, kind, position, chain, currency, account, amount, signed_by from new_legs
      ${second === 'fails' ? sql`` : sql`on conflict (order_id, kind) do nothing`}
      returning *
    ), legs_opened as (
      insert into open_legs (id, order_id, kind, position, chain, currency, account, amount, signed_by, created_at, state, held_for, held_until)
      select b.id, b.order_id, b.kind, b.position, b.chain, b.currency, b.account, b.amount, b.signed_by, b.created_at, n.state, n.held_for, n.held_until
      from legs_begun b join new_legs n using (order_id, kind)
    )`;
}
