import { sql } from 'kysely';
import { accounts } from '../../book/accounts.ts';
import { bookEntries } from '../../book/entries.ts';
import { nextCreditOrderId } from '../../derived-ids.ts';
import { inputRows } from '../../input-rows.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { laneQueue } from '../../wake-ups.ts';
import { beginLegs } from '../../orders/legs/begin-legs.ts';
import type { RecordedCredit } from '../credits.ts';
import { ownPaymentReasons } from './own-payments.ts';

/** A credit and the payment of ours whose money it may be. */
export interface NamedPayment {
  reference: string;
  payment: string;
  /** Why it came back, for people. */
  reason: string;
}

/** The columns of a {@link NamedPayment}. */
export const namedColumns = 'reference text, payment uuid, reason text';

/** What became of a credit that brought a payment back. */
export type ReturnOutcome = Pick<RecordedCredit, 'reference' | 'state' | 'orderId' | 'chain' | 'reason'>;

/**
 * Ends payments that came back, and with them the credits that brought their money: a payout's gives what was paid back, by a new order, and a return's makes the credit
 * that it sent back unmatched again, and is settled. The state of the payment makes that happen once. What the credit has less, or more, the operator adds or keeps.
 * Returns what became of the credits.
 */
export async function takeReturnedMoney(tx: LedgerTransaction, returned: readonly NamedPayment[]): Promise<ReturnOutcome[]> {
  if (returned.length === 0) return [];
  const { rows } = await sql<ReturnOutcome>`
    with came_back as (
      update payments p set state = 'returned', came_back_by = g.reference, returned_at = now(), reason = g.reason
      from ${inputRows(returned, namedColumns)} g
      where p.id = g.payment and (p.state = 'accepted' or (p.kind = 'payout' and p.came_back_by = g.reference))
      returning g.reference, p.id as payment, p.kind, p.leg, p.credit, p.currency, p.amount, p.reason
    ), reopened as (
      update credits c set state = 'unmatched', order_id = null, returned_at = null, reason = 'its return to the payer came back: ' || b.reason,
        facts = coalesce(c.facts, '{}') || jsonb_strip_nulls(jsonb_build_object('paymentId', b.payment, 'orderId', c.order_id))
      from came_back b where b.kind = 'return' and c.reference = b.credit and c.state in ('matched', 'returned')
      returning b.reference
    ), owed as (
      select b.*, case b.kind when 'payout' then ${nextCreditOrderId(sql`b.reference`)} end as order_id, l.order_id as gives_back
      from came_back b left join leg_history l on l.id = b.leg and b.kind = 'payout'
      where b.kind = 'payout' or b.reference in (select reference from reopened)
    ), ended as (
      update credits c set state = case w.kind when 'payout' then 'matched' else 'settled' end, order_id = w.order_id,
        settled_as = case w.kind when 'return' then 'return' end, settled_at = case w.kind when 'return' then now() end,
        reason = case w.kind when 'return' then 'it brought the return ' || w.payment || ' back: the credit ' || w.credit || ' waits again' end,
        rail_reason = case when w.kind = 'return' or c.rail_reason = any(${[...ownPaymentReasons]}::text[]) then c.rail_reason else 'payment_returned' end,
        added_by_operator = nullif(w.amount - case when c.currency = w.currency then c.amount else 0 end, 0)
      from owed w where c.reference = w.reference and c.state = 'unmatched'
      returning c.*, w.kind, w.currency as paid_in, coalesce(w.order_id::text, c.reference) as cause,
        case w.kind when 'payout' then ${accounts.issue} else ${accounts.suspense} end as account
    ), placed as (
      insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, correlation_id, gives_back)
      select w.order_id, 'issue', o.profile, o.address, o.chain, o.currency, w.amount, o.counterpart,
        left('Payment returned: ' || w.reason, 140), o.correlation_id, o.id
      from owed w join ended e on e.order_id = w.order_id join orders o on o.id = w.gives_back
      returning *
    ), ${beginLegs(sql`
      select id, 'issue', 0, chain, currency, address, amount, 'ready', 'nobody', null::text, null::timestamptz from placed`)},
    ${bookEntries(sql`
      select case when currency = paid_in then 'match' else 'credit-settled' end as kind, cause as source, booked_on, ${accounts.suspense} as debit,
        case when currency = paid_in then ${accounts.issue} else ${accounts.operator} end as credit, currency, amount
      from ended where kind = 'payout' or currency <> paid_in
      union all
      select 'added-by-operator', cause, booked_on, case when added_by_operator > 0 then ${accounts.operator} else account end,
        case when added_by_operator > 0 then account else ${accounts.operator} end, paid_in, abs(added_by_operator)
      from ended where added_by_operator is not null`)}
    select e.reference, e.state, p.id as order_id, p.chain, e.reason from ended e left join placed p on p.id = e.order_id
    where e.kind = 'return' or p.id is not null
  `.execute(tx);
  tx.wakeUps.add(...rows.flatMap(({ chain }) => (chain === null ? [] : [laneQueue(chain)])));
  return rows;
}
