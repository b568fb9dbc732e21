import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../ledger.ts';

/** Within how many seconds a signature request on a network is decided when all is well. */
export interface SignatureBound {
  chain: Chain;
  /** For a signature that came with its request. */
  inRequestSeconds: number;
  /** For a signature that the account gives on chain. */
  onChainSeconds: number;
}

/** Signature requests on one network that should have been decided. */
export interface OverdueSignatures {
  chain: Chain;
  isOnChain: boolean;
  count: number;
  /** When the oldest was made. */
  since: Date;
}

/** The signature requests that are older than their network's bound, by network, the oldest first; not those that a contest holds up, however long. */
export async function overdueSignatures(ledger: Ledger, bounds: readonly SignatureBound[]): Promise<OverdueSignatures[]> {
  const { rows } = await sql<OverdueSignatures>`
    select r.chain, r.signature = '0x' as "isOnChain", count(*)::int as count, min(r.created_at) as since
    from signature_requests r join unnest(
      ${bounds.map(({ chain }) => chain)}::text[],
      ${bounds.map(({ inRequestSeconds }) => inRequestSeconds)}::float8[],
      ${bounds.map(({ onChainSeconds }) => onChainSeconds)}::float8[]
    ) as b (chain, in_request, on_chain) on b.chain = r.chain
    where r.state = 'pending' and r.contested_since is null
      and r.created_at < now() - make_interval(secs => case when r.signature = '0x' then b.on_chain else b.in_request end)
    group by r.chain, r.signature = '0x' order by min(r.created_at)
  `.execute(ledger);
  return rows;
}

/** An order that is open although nothing of it is under way. */
export interface IdleOrder {
  id: string;
  chain: Chain;
  since: Date;
}

/** Open orders of each state that one look for idle ones reads, the oldest first: an idle order is among them once older ones have ended. */
const mostOrdersRead = 250;

/**
 * Orders that are open although none of their legs is ready or sent, no signature is awaited, and no operator is awaited either: a rule of the
 * lifecycle is broken. At most `limit`, the oldest first.
 */
export async function idleOrders(ledger: Ledger, limit: number): Promise<IdleOrder[]> {
  // An order is read once no leg of it is under way: of hardly any.
  const { rows } = await sql<IdleOrder>`
    select o.id, o.chain, o.placed_at as since
    from (
      (select id from open_orders where state = 'placed' order by placed_at, id limit ${mostOrdersRead})
      union all
      (select id from open_orders where state = 'pending' order by placed_at, id limit ${mostOrdersRead})
    ) oldest
    cross join lateral (select id, kind, chain, placed_at from orders where id = oldest.id offset 0) o
    where not exists (select from open_legs l where l.order_id = oldest.id and l.state in ('ready', 'sent') offset 0)
      and not exists (select from signature_requests r where r.order_id = o.id and r.state = 'pending' offset 0)
      and not exists (select from leg_history l where o.kind = 'redeem' and l.order_id = o.id and l.kind = 'issue' and l.outcome = 'refused' offset 0)
    order by o.placed_at limit ${limit}
  `.execute(ledger);
  return rows;
}
