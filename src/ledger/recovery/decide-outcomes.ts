import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import type { MinorUnits } from '../../platform/money.ts';
import { lockImports } from '../bank/bank-files.ts';
import { restateCredit } from '../bank/restate-credit.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { redirectIssue } from '../orders/lifecycle.ts';
import { laneQueue } from '../wake-ups.ts';
import { applyAccepted } from './apply-outcomes.ts';
import { findSameIssues, isNumberFree, isSameAmount, isUndecided } from './same-issues.ts';

/**
 * Sets outcomes aside for an operator, who says why they are no orders of this ledger, such as a stolen key. Their numbers stay used, and what they
 * moved stays a difference of the reserve. One that was set aside before its order waited for an issue is decided again. Returns how many were undecided. Throws `not_possible`, and sets none aside, when one has issued what an
 * order still waits for: that order would be issued a second time.
 */
export async function setOutcomesAside(ledger: Ledger, ids: readonly string[], reason: string, operator: string): Promise<number> {
  return inTransaction(ledger, async (tx) => {
    const [same] = await findSameIssues(tx, ids);
    if (same !== undefined)
      throw new StopError({
        code: 'not_possible',
        message:
          same.state === 'ready'
            ? `${same.outcome} has issued to the account of the order ${same.orderId} what that order waits for, and it would be issued again: \`mintrail recover accept ${same.outcome} --order ${same.orderId}\` takes it for that order`
            : `${same.outcome} has issued to the account of the order ${same.orderId} what that order is for, and the order is under way: try again once it has ended or waits again (\`mintrail trace ${same.orderId}\`)`,
      });
    const rows = await tx
      .updateTable('unrecordedOutcomes as u')
      .set({ state: 'set_aside', reason, decidedBy: operator, decidedAt: sql`now()` })
      .where('u.id', 'in', [...ids])
      .where(isUndecided)
      .returning('u.chain')
      .execute();
    tx.wakeUps.add(...new Set(rows.map(({ chain }) => laneQueue(chain))));
    return rows.length;
  });
}

/**
 * Takes an issue to another account or chain than its order says for the order's own: since the back-up its holder has chosen where their money goes.
 * The order gets the account and the chain of the outcome, which then ends its leg. With `order`, an issue under an order id that this ledger does not have
 * is that order's: its credit was the order of another report before, and the issue ends its leg at once. Credit and order get the amount that was issued, which
 * may be another one only by the charges that a report of the credit names. Throws `not_possible` when the chain issued any other amount, or the order is unknown or under way, or the issue names another order of this ledger.
 */
export async function acceptOutcome(ledger: Ledger, id: string, order?: string): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    // An import must not decide meanwhile what the bank kept of the credit.
    await lockImports(tx);
    const accepted = await lockAcceptable(tx, id, order);
    if (accepted === undefined)
      throw new StopError({
        code: 'not_possible',
        message: `${id} is no open issue of an order that waits with the same amount: see \`mintrail recover\``,
      });
    await restateCredit(tx, accepted.orderId, accepted.amount);
    await redirectIssue(tx, accepted.orderId, accepted);
    if (order !== undefined) await applyAccepted(tx, { id, order });
  });
}

async function lockAcceptable(tx: LedgerTransaction, id: string, order: string | undefined) {
  const { rows } = await sql<{ chain: Chain; account: LowerAddress; amount: MinorUnits; orderId: string }>`
    select u.chain, u.account, u.amount::bigint, o.id as order_id
    from unrecorded_outcomes u join orders o on o.id = ${order === undefined ? sql`u.order_id` : sql`${order}::uuid`}
      and o.kind = 'issue' and o.currency = u.currency
    join open_legs l on l.order_id = o.id and l.kind = 'issue' and l.state = 'ready' and ${isSameAmount}
    where u.id = ${id} and u.kind = 'issue' and u.state = 'open' and (u.order_id = o.id or not exists (select from orders named where named.id = u.order_id))
      and ${isNumberFree} and coalesce(u.block_number > l.after_block, true)
    for update of l
  `.execute(tx);
  return rows[0];
}
