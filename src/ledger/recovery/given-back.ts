import { sql } from 'kysely';
import { decidePayments } from '../bank/payment-decisions.ts';
import { settleLegs } from '../orders/settling/settle-legs.ts';
import { forgetRefusals } from '../bank/payment-statuses.ts';
import { payoutPaymentIdOf } from '../derived-ids.ts';
import type { LedgerTransaction } from '../ledger.ts';

/** Why a payout is refused whose refusal the ledger has lost. */
const reason = 'its tokens were given back before the ledger was restored';

/**
 * Refuses the payouts of redemptions whose tokens the chain has issued to their holder again under the order's id: only a refused payout is given back.
 * The leg that gives them back is then ready, and the outcome is its own. A payout that is with the bank is not refused: it may have been sent since the
 * ledger was restored, so the bank may carry it out. Returns how many.
 */
export async function refuseGivenBackPayouts(tx: LedgerTransaction): Promise<number> {
  const { rows } = await sql<{ leg: string; payment: string | null; lostPayment: string }>`
    select l.id as leg, p.id as payment, ${payoutPaymentIdOf('o')} as "lostPayment"
    from unrecorded_outcomes u
    join orders o on o.id = u.order_id and o.kind = 'redeem' and o.chain = u.chain and o.address = u.account and o.currency = u.currency and o.amount = u.amount
    join open_legs l on l.order_id = o.id and l.kind = 'payout' and l.state in ('ready', 'sent') and l.chain is null
    left join payments p on p.leg = l.id
    where u.state = 'open' and u.kind = 'issue' and coalesce(p.state = 'ready', true)
      and not exists (select from leg_history issue where issue.order_id = o.id and issue.kind = 'issue')
    for update of l
  `.execute(tx);
  const paid = rows.flatMap(({ payment }) => (payment === null ? [] : [{ id: payment, refused: reason }]));
  await decidePayments(tx, paid, ['ready']);
  const unpaid = rows.flatMap(({ leg, payment }) =>
    payment === null ? [{ legId: leg, txHash: null, blockNumber: null, refused: reason }] : [],
  );
  await settleLegs(tx, unpaid);
  await forgetRefusals(
    tx,
    rows.map(({ lostPayment }) => lostPayment),
  );
  return rows.length;
}
