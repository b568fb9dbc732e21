import { sql } from 'kysely';
import type { Ledger } from './ledger.ts';

/** What a confirmed log says of a leg. */
export interface LegOutcome {
  legId: string;
  txHash: string;
  blockNumber: bigint;
  /** The contract's reason, when it refused; null when it was carried out. */
  refused: string | null;
}

export interface Settled {
  orderId: string;
  state: 'processed' | 'rejected';
}

/**
 * Ends legs by their confirmed outcomes, all or none: a leg is done or refused; the leg behind a done one becomes ready;
 * an order whose last leg is done is processed, one whose leg was refused is rejected. Outcomes of legs that are already
 * ended change nothing. Returns the orders that ended.
 */
export async function settleLegs(ledger: Ledger, outcomes: LegOutcome[]): Promise<Settled[]> {
  if (outcomes.length === 0) return [];
  const given = JSON.stringify(outcomes.map((outcome) => ({ ...outcome, blockNumber: outcome.blockNumber.toString() })));
  return ledger.transaction().execute(async (tx) => {
    const ended = await sql<{ orderId: string }>`
      with given as (
        select * from jsonb_to_recordset(${given}::jsonb) as g("legId" uuid, "txHash" text, "blockNumber" bigint, refused text)
      )
      update legs set
        state = case when g.refused is null then 'done' else 'refused' end,
        tx_hash = g."txHash", block_number = g."blockNumber", reason = g.refused, done_at = now(), claimed_by = null
      from given g where legs.id = g."legId" and legs.state in ('ready', 'sent')
      returning legs.order_id as "orderId"
    `.execute(tx);
    const orders = ended.rows.map((row) => row.orderId);
    await sql`
      update legs set state = 'ready' from legs before
      where before.order_id = legs.order_id and before.position = legs.position - 1 and before.state = 'done'
        and legs.state = 'waiting' and legs.order_id = any(${orders}::uuid[])
    `.execute(tx);
    const { rows } = await sql<Settled>`
      with progress as (
        select order_id, bool_and(state = 'done') as done, max(reason) as reason,
          array_agg(tx_hash order by position) filter (where tx_hash is not null) as hashes
        from legs where order_id = any(${orders}::uuid[]) group by order_id
      ), moved as (
        update orders o set
          state = case when p.reason is not null then 'rejected' when p.done then 'processed' else o.state end,
          processed_at = case when p.reason is null and p.done then now() end,
          rejected_reason = p.reason,
          tx_hashes = p.hashes
        from progress p where o.id = p.order_id and o.state in ('placed', 'pending')
        returning o.*
      ), announced as (
        insert into events (type, profile, subject, data, correlation_id)
        select 'order.updated', profile, id, to_jsonb(moved), correlation_id from moved where state in ('processed', 'rejected')
      ), suspended as (
        update credits c set state = 'unmatched', order_id = null, reason = 'the token contract refused the issue: ' || m.rejected_reason,
          facts = coalesce(c.facts, '{}') || jsonb_build_object('orderId', m.id)
        from moved m where m.state = 'rejected' and c.order_id = m.id
      )
      select id as "orderId", state from moved where state in ('processed', 'rejected')
    `.execute(tx);
    return rows;
  });
}
