import { type RawBuilder, sql } from 'kysely';

/**
 * SQL: whether a chain has issued tokens under an order id, in a transaction that this ledger has lost, which are not those given back for a redemption.
 * The id is then that of a lost issue order, which everybody can read on the chain: a redemption that took it would keep its credit from
 * getting it again (docs/restore.md, Derived ids). `redemption` is a row with `chain`, `account` and `amount`.
 */
export function isIssuedOtherwise(id: RawBuilder<unknown>, redemption: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(select true from unrecorded_outcomes issued
    where issued.order_id = ${id} and issued.kind = 'issue' and issued.state <> 'applied'
      and (issued.chain, issued.account, issued.amount) <> (${redemption}.chain, ${redemption}.account, ${redemption}.amount)
    limit 1) is not null`;
}
