import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import { endToEndIdOf } from '../end-to-end-id.ts';
import type { Ledger } from '../ledger.ts';
import { holdTextOf } from './events.ts';

/** The types of entries. Entries of the same time are sorted in this order. */
export const orderHistoryTypes = [
  'order.placed',
  'order.held',
  'signature.awaited',
  'signature.verified',
  'signature.refused',
  'transaction.sent',
  'transaction.replaced',
  'transaction.mined',
  'transaction.failed',
  'leg.confirmed',
  'leg.refused',
  'payment.sent',
  'payment.status',
  'payment.accepted',
  'payment.refused',
  'payment.returned',
  'order.processed',
  'order.rejected',
] as const;

/**
 * The leg that an entry is about: `issue` tokens to the holder, `redeem` tokens from the holder, `payout` money to the payee, `giveBack` tokens
 * back to the holder, `return` money back to the payer.
 */
export const historyLegs = ['issue', 'redeem', 'payout', 'giveBack', 'return'] as const;

/** An entry of an order's history. What does not apply to its type is null. */
export interface OrderHistoryEntry {
  type: (typeof orderHistoryTypes)[number];
  at: Date;
  leg: (typeof historyLegs)[number] | null;
  chain: Chain | null;
  txHash: string | null;
  /** Hash of the attempt at the same nonce that this one replaces. */
  replaces: string | null;
  block: bigint | null;
  /** EndToEndId of a payment by the bank. */
  endToEndId: string | null;
  /** The bank's status code, such as `ACSP`. */
  bankStatus: string | null;
  reason: string | null;
  /** Of `payment.returned` the order that gives the tokens back; of the `order.placed` of such an order the one whose payout came back. */
  order: string | null;
}

/**
 * The history of an order, the oldest entry first, from its legs, transactions, payments and signature requests. The payout to another chain
 * is carried out by the dependent order there: its transactions are shown as those of the payout.
 */
export async function readOrderHistory(ledger: Ledger, orderId: string): Promise<OrderHistoryEntry[]> {
  const { rows } = await sql<OrderHistoryEntry & { payment: string | null }>`
    with own as (select * from orders where id = ${orderId}),
    moves as (
      select l.*, case when o.kind = 'redeem' and l.kind = 'issue' then 'giveBack' else l.kind end as leg_kind
      from own o cross join legs l
      where l.order_id = ${orderId} and (l.kind <> 'payout' or l.chain is null)
      union all
      select l.*, 'payout' from legs l where l.kind = 'issue' and l.order_id = any(array(select id from orders where source_order = ${orderId}))
    ), journeys as (
      select id, leg_kind, chain, transaction from moves where transaction is not null
      union
      select m.id, m.leg_kind, m.chain, f.transaction from moves m join leg_failures f on f.leg = m.id where f.transaction is not null
    ), attempts as (
      select j.leg_kind, j.chain, a.hash, a.created_at, lag(a.hash) over (partition by j.id, j.transaction order by a.position) as replaced
      from journeys j join transaction_attempts a on a.transaction = j.transaction
    ), bank as (
      select m.leg_kind, p.* from moves m join payments p on p.leg = m.id
    ), history (type, at, leg, chain, tx_hash, replaces, block, payment, bank_status, reason, "order") as (
      select 'order.placed', placed_at, null, null, null, null, null::bigint, null::uuid, null, null, gives_back from own
      union all
      select 'order.held', held_since, null, null, null, null, null, null, null, ${holdTextOf(sql`held_for`)}, null from own where held_since is not null
      union all
      select 'signature.awaited', s.created_at, null, s.chain, null, null, null, null, null, null, null
      from own o join signature_requests s on s.order_id = o.id
      union all
      select case s.state when 'valid' then 'signature.verified' else 'signature.refused' end, s.decided_at, null, s.chain, null, null, null,
        null, null, s.reason, null
      from own o join signature_requests s on s.order_id = o.id where s.state <> 'pending'
      union all
      -- A key's own signature is verified before its order is placed.
      select 'signature.verified', placed_at, null, chain, null, null, null, null, null, null, null
      from own o where kind = 'redeem' and not exists (select from signature_requests s where s.order_id = o.id)
      union all
      select case when replaced is null then 'transaction.sent' else 'transaction.replaced' end, created_at, leg_kind, chain, hash, replaced,
        null, null, null, null, null from attempts
      union all
      select 'transaction.mined', t.mined_at, j.leg_kind, j.chain, t.hash, null, t.block_number, null, null, null, null
      from journeys j join transactions t on t.id = j.transaction where t.mined_at is not null
      union all
      select 'transaction.failed', f.at, m.leg_kind, m.chain, f.tx_hash, null, f.block_number, null, null,
        case f.outcome
          when 'reverted' then 'the transaction reverted: it is sent anew'
          when 'cancelled' then 'the network does not take the transaction: it is sent anew in another'
          when 'number_used' then f.reason
          else 'the nonce was used by another transaction: it is sent anew' end, null
      from moves m join leg_failures f on f.leg = m.id where f.outcome <> 'refused'
      union all
      select 'leg.refused', f.at, m.leg_kind, m.chain, f.tx_hash, null, f.block_number, null, null, f.reason, null
      from moves m join leg_failures f on f.leg = m.id where f.outcome = 'refused'
      union all
      select case state when 'done' then 'leg.confirmed' else 'leg.refused' end, done_at, leg_kind, chain, tx_hash, null, block_number,
        null, null, reason, null from moves where tx_hash is not null
      union all
      select 'payment.sent', sent_at, leg_kind, null, null, null, null, id, null, null, null from bank where sent_at is not null
      union all
      select 'payment.status', bank_status_at, leg_kind, null, null, null, null, id, bank_status, null, null from bank where bank_status_at is not null
      union all
      select case state when 'refused' then 'payment.refused' else 'payment.accepted' end, decided_at, leg_kind, null, null, null, null, id, null,
        case state when 'refused' then reason end, null from bank where decided_at is not null
      union all
      select 'payment.returned', returned_at, leg_kind, null, null, null, null, id, null, reason,
        (select id from orders where gives_back = ${orderId} order by placed_at desc limit 1)
      from bank where state = 'returned'
      union all
      select 'order.processed', processed_at, null, null, null, null, null, null, null, null, null from own where state = 'processed'
      union all
      select 'order.rejected', rejected_at, null, null, null, null, null, null, null, rejected_reason, null from own where state = 'rejected'
    )
    select type, at, leg, chain, tx_hash, replaces, block, payment, bank_status, reason, "order"
    from history order by at, array_position(${[...orderHistoryTypes]}::text[], type), block, tx_hash
  `.execute(ledger);
  return rows.map(({ payment, ...row }) => Object.assign(row, { endToEndId: payment === null ? null : endToEndIdOf(payment) }));
}
