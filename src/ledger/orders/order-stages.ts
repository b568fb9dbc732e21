import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../ledger.ts';
import type { OrderState } from '../../schema/states.ts';

/** When an order and its first leg on chain went through their stages; null for those that it did not. */
export interface OrderStages {
  chain: Chain;
  kind: 'issue' | 'redeem';
  state: OrderState;
  placedAt: Date;
  /** When the transaction that carried the leg out was signed. */
  sentAt: Date | null;
  minedAt: Date | null;
  confirmedAt: Date | null;
  endedAt: Date | null;
}

/** Reads the stages of some orders, each by index lookups. */
export async function readOrderStages(ledger: Ledger, orders: readonly string[]): Promise<OrderStages[]> {
  if (orders.length === 0) return [];
  const { rows } = await sql<OrderStages>`
    select o.chain, o.kind, o.state, o.placed_at as "placedAt", t.created_at as "sentAt", t.mined_at as "minedAt",
      case when l.state = 'done' then l.done_at end as "confirmedAt", coalesce(o.processed_at, o.rejected_at) as "endedAt"
    from unnest(${orders}::uuid[]) as requested (id)
    join lateral (select * from orders where orders.id = requested.id offset 0) o on true
    left join lateral (
      select legs.state, legs.done_at, legs.transaction from legs where legs.order_id = o.id and legs.kind = o.kind order by position limit 1
    ) l on true
    left join lateral (select created_at, mined_at from transactions where transactions.id = l.transaction offset 0) t on true
  `.execute(ledger);
  return rows;
}
