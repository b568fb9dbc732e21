import { sql } from 'kysely';
import type { Chain } from '../../../platform/chains.ts';
import { accounts } from '../../book/accounts.ts';
import { bookEntries } from '../../book/entries.ts';
import { nextCreditOrderId } from '../../derived-ids.ts';
import { inputRows } from '../../input-rows.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { laneQueue } from '../../wake-ups.ts';
import { beginLegs } from '../../orders/legs/begin-legs.ts';
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

/**
 * Places an order for each payout that came back, which gives back what was paid. The state of the payment makes that happen once. What the
 * credit has less, or more, the operator adds or keeps. Returns the orders of the credits.
 */
export async function giveBackReturnedPayouts(tx: LedgerTransaction, returned: readonly NamedPayment[]) {
  if (returned.length === 0) return [];
  const { rows } = await sql<{ reference: string; orderId: string; chain: Chain }>`
    with came_back as (
      update payments p set state = 'returned', came_back_by = g.reference, returned_at = now(), reason = g.reason
      from ${inputRows(returned, namedColumns)} g
      where p.id = g.payment and p.kind = 'payout' and (p.state = 'accepted' or p.came_back_by = g.reference)
      returning g.reference, p.id as payment, p.leg, p.currency, p.amount, p.reason
    ), owed as (
      select b.*, ${nextCreditOrderId(sql`b.reference`)} as order_id, l.order_id as gives_back from came_back b join leg_history l on l.id = b.leg
    ), matched as (
      update credits c set state = 'matched', order_id = w.order_id, reason = null,
        rail_reason = case when c.rail_reason = any(${[...ownPaymentReasons]}::text[]) then c.rail_reason else 'payment_returned' end,
        added_by_operator = nullif(w.amount - case when c.currency = w.currency then c.amount else 0 end, 0)
      from owed w where c.reference = w.reference and c.state = 'unmatched'
      returning c.reference, c.order_id, c.currency as came_in, c.amount as came, c.booked_on, w.currency, c.added_by_operator as added
    ), placed as (
      insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, correlation_id, gives_back)
      select w.order_id, 'issue', o.profile, o.address, o.chain, o.currency, w.amount, o.counterpart,
        left('Payment returned: ' || w.reason, 140), o.correlation_id, o.id
      from owed w join matched m on m.order_id = w.order_id join orders o on o.id = w.gives_back
      returning *
    ), ${beginLegs(sql`
      select id, 'issue', 0, chain, currency, address, amount, 'ready', 'nobody', null::text, null::timestamptz from placed`)},
    ${bookEntries(sql`
      select case when came_in = currency then 'match' else 'credit-settled' end as kind, order_id::text as source, booked_on,
        ${accounts.suspense} as debit, case when came_in = currency then ${accounts.issue} else ${accounts.operator} end as credit,
        came_in as currency, came as amount from matched
      union all
      select 'added-by-operator', order_id::text, booked_on,
        case when added > 0 then ${accounts.operator} else ${accounts.issue} end,
        case when added > 0 then ${accounts.issue} else ${accounts.operator} end, currency, abs(added)
      from matched where added is not null`)}
    select m.reference, p.id as order_id, p.chain from placed p join matched m on m.order_id = p.id
  `.execute(tx);
  tx.wakeUps.add(...rows.map(({ chain }) => laneQueue(chain)));
  return rows;
}

/** Makes the credits that returns sent back unmatched again. The credits that brought their money are settled by that, and are returned. */
export async function reopenReturnedCredits(tx: LedgerTransaction, returned: readonly NamedPayment[]) {
  if (returned.length === 0) return [];
  const { rows } = await sql<{ reference: string; reason: string }>`
    with came_back as (
      update payments p set state = 'returned', came_back_by = g.reference, returned_at = now(), reason = g.reason
      from ${inputRows(returned, namedColumns)} g
      where p.id = g.payment and p.kind = 'return' and p.state = 'accepted'
      returning g.reference, p.id as payment, p.credit, p.currency, p.amount, p.reason
    ), reopened as (
      update credits c set state = 'unmatched', order_id = null, returned_at = null, reason = 'its return to the payer came back: ' || b.reason,
        facts = coalesce(c.facts, '{}') || jsonb_strip_nulls(jsonb_build_object('paymentId', b.payment, 'orderId', c.order_id))
      from came_back b where c.reference = b.credit and c.state in ('matched', 'returned')
      returning b.reference, c.reference as credit, b.payment, b.currency, b.amount
    ), settled as (
      update credits c set state = 'settled', settled_as = 'return', settled_at = now(),
        added_by_operator = nullif(o.amount - case when c.currency = o.currency then c.amount else 0 end, 0),
        reason = 'it brought the return ' || o.payment || ' back: the credit ' || o.credit || ' waits again'
      from reopened o where c.reference = o.reference and c.state = 'unmatched'
      returning c.reference, c.reason, c.booked_on, c.currency as came_in, c.amount as came, o.currency, c.added_by_operator as added
    ), ${bookEntries(sql`
      select 'credit-settled' as kind, reference as source, booked_on, ${accounts.suspense} as debit, ${accounts.operator} as credit,
        came_in as currency, came as amount
      from settled where came_in <> currency
      union all
      select 'added-by-operator', reference, booked_on,
        case when added > 0 then ${accounts.operator} else ${accounts.suspense} end,
        case when added > 0 then ${accounts.suspense} else ${accounts.operator} end, currency, abs(added)
      from settled where added is not null`)}
    select reference, reason from settled
  `.execute(tx);
  return rows;
}
