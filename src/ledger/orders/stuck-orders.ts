import { sql } from 'kysely';
import type { Actor } from '../../platform/acting.ts';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency, MinorUnits } from '../../platform/money.ts';
import { StopError } from '../../platform/errors.ts';
import { recordAct } from '../access/audit-log.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { laneQueue } from '../wake-ups.ts';
import { openAgain } from './legs/open-again.ts';

/** A redemption that was burnt and not paid, and whose tokens the contract would not take back to the holder. */
export interface StuckOrder {
  id: string;
  chain: Chain;
  address: LowerAddress;
  amount: MinorUnits;
  currency: Currency;
  reason: string;
  /** When the contract refused them. */
  since: Date;
}

/** The orders that only an operator can end, the oldest first. */
export async function stuckOrders(ledger: Ledger): Promise<StuckOrder[]> {
  const { rows } = await sql<StuckOrder>`
    select o.id, o.chain, o.address, o.amount, o.currency, l.reason, l.done_at as since
    from leg_history l join orders o on o.id = l.order_id
    where l.kind = 'issue' and l.position > 0 and l.outcome = 'refused' and o.kind = 'redeem' and o.state in ('placed', 'pending')
    order by o.placed_at
  `.execute(ledger);
  return rows;
}

/** Who has tokens given back again, and why; for the audit log, so the reason names no customer. */
export interface GiveBackRequest {
  actor: Actor;
  reason?: string;
}

/**
 * Retries to give the tokens of a stuck order back, after the operator has removed the cause, such as a block on the account. The leg gets a
 * new sequence number, because the token contract has used up the old one. Throws `not_possible`.
 */
export async function retryGiveBack(ledger: Ledger, orderId: string, request?: GiveBackRequest): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    const chains = await makeReadyAgain(tx, orderId);
    if (chains.length === 0)
      throw new StopError({ code: 'not_possible', message: `The order ${orderId} is not stuck: mintrail status names those that are` });
    tx.wakeUps.add(...chains.map(laneQueue));
    if (request === undefined) return;
    const { actor, reason } = request;
    await recordAct(tx, { actor, action: 'order.give-back', subjectKind: 'order', subject: orderId, detail: { reason } });
  });
}

async function makeReadyAgain(tx: LedgerTransaction, orderId: string): Promise<Chain[]> {
  const { rows } = await sql<{ chain: Chain }>`
    with stuck as (
      select l.* from leg_history l join orders o on o.id = l.order_id
      where o.id = ${orderId} and o.kind = 'redeem' and o.state in ('placed', 'pending') and l.kind = 'issue' and l.outcome = 'refused'
      for update of l
    ), ${openAgain(sql`select * from stuck`)}
    select chain from opened_again
  `.execute(tx);
  return rows.map(({ chain }) => chain);
}
