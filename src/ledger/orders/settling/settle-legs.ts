import { sql } from 'kysely';
import { accounts, tokensIn } from '../../book/accounts.ts';
import { bookEntries } from '../../book/entries.ts';
import { hiddenFromPlanner } from '../../hidden-from-planner.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import type { Chain } from '../../../platform/chains.ts';
import type { LegKind, LegSigner } from '../../../schema/states.ts';
import { payoutQueue } from '../../wake-ups.ts';
import { recordAccountOutcomes } from '../account-backoffs.ts';
import { endLegs } from '../legs/end-legs.ts';
import { continueOrders, type EndedOrder, endOrders } from '../lifecycle.ts';
import { recordSettling } from '../traces/order-spans.ts';
import { outcomesForSources, placeDependentOrders } from './dependent-orders.ts';
import type { LegOutcome } from './leg-outcome.ts';
import { decideIssueClaims, giveBackRefusedPayouts, sendBackRefusedCredits, voidNextLegs } from './next-legs.ts';

/**
 * Ends legs, all of them or none, with the consequences: the leg after a done one becomes ready, and after a refused one void; for a refused payout the tokens are given
 * back; for a refused issue the credit is returned to its payer; a redemption to another chain gets its dependent order there; an order whose
 * legs have all ended is processed or rejected. Legs that have ended before are not changed. Returns the orders that ended.
 */
export async function settleLegs(ledger: Ledger, outcomes: LegOutcome[]): Promise<EndedOrder[]> {
  if (outcomes.length === 0) return [];
  return inTransaction(ledger, (tx) => settle(tx, outcomes));
}

async function settle(tx: LedgerTransaction, outcomes: LegOutcome[]): Promise<EndedOrder[]> {
  const startedAt = Date.now();
  return settleEnded(tx, await endByOutcomes(tx, outcomes), startedAt);
}

/** The consequences of legs that have ended in this transaction, as {@link settleLegs} has them. `startedAt` is in milliseconds since 1970. */
export async function settleEnded(tx: LedgerTransaction, { ended, readied }: EndedLegs, startedAt: number): Promise<EndedOrder[]> {
  if (ended.length === 0) return [];
  const byContract = ended.filter(({ signedBy }) => signedBy === 'contract').map(({ id }) => id);
  if (byContract.length > 0) await recordAccountOutcomes(tx, byContract);
  const orders = [...new Set(ended.map(({ orderId }) => orderId))];
  if (ended.some(({ state }) => state === 'refused')) {
    // Nothing is returned for a credit that the bank took back.
    await decideIssueClaims(tx, orders);
    await voidNextLegs(tx, orders);
    await giveBackRefusedPayouts(tx, orders);
    await sendBackRefusedCredits(tx, orders);
  }
  if (readied.some(({ chain }) => chain === null)) tx.wakeUps.add(payoutQueue);
  // Nobody is woken for a payout to a chain: its order is placed at once.
  const unplaced = readied.some(({ chain }) => chain !== null) ? await placeDependentOrders(tx, orders) : [];
  const goOn = new Set(readied.map(({ orderId }) => orderId));
  const settled = await endOrders(
    tx,
    orders.filter((order) => !goOn.has(order)),
  );
  recordSettling(startedAt, ended, settled);
  const following = [...unplaced, ...(await outcomesForSources(tx, settled))];
  return [...settled.map(({ orderId, state }) => ({ orderId, state })), ...(following.length > 0 ? await settle(tx, following) : [])];
}

/** Legs that have ended, and the payouts that are ready now after redemptions among them. */
export interface EndedLegs {
  ended: { id: string; orderId: string; kind: LegKind; state: 'done' | 'refused'; signedBy: LegSigner }[];
  readied: { orderId: string; chain: Chain | null }[];
}

/** SQL of a value: the legs in `ended`, as {@link settleEnded} takes them. */
export const endedLegs = sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', id, 'orderId', order_id, 'kind', kind, 'state', outcome, 'signedBy', signed_by)), '[]') from ended)`;

/**
 * Ends legs, has the payout after a redemption ready, and books what a done one moved: an issue pays a credit off, or else gives burnt tokens back or issues them
 * elsewhere. A leg that was tried again after a refusal does not end by an outcome that is as old: another worker may still hold that one.
 */
async function endByOutcomes(tx: LedgerTransaction, outcomes: LegOutcome[]): Promise<EndedLegs> {
  const input = JSON.stringify(outcomes.map((outcome) => ({ ...outcome, blockNumber: outcome.blockNumber?.toString() ?? null })));
  const { rows } = await sql<EndedLegs>`
    with input as (
      select * from jsonb_to_recordset(${input}::jsonb) as g("legId" uuid, "txHash" text, "blockNumber" bigint, refused text)
    ), ${endLegs(
      sql`using input g where l.id = any(array[g."legId"]) and ${hiddenFromPlanner(sql`l.state in ('ready', 'sent')`)} and coalesce(g."blockNumber" > l.after_block, true)`,
      sql`case when g.refused is null then 'done' else 'refused' end, g."txHash", g."blockNumber", g.refused`,
    )}, readied as (
      update open_legs l set state = 'ready', due_at = now() from ended e
      where e.kind = 'redeem' and e.outcome = 'done' and l.order_id = any(array[e.order_id]) and l.position = e.position + 1
        and ${hiddenFromPlanner(sql`l.state = 'waiting'`)}
      returning l.order_id, l.chain, e.tx_hash
    ), continued as (
      ${continueOrders}
    ), ${bookEntries(sql`
      select 'issued' as kind, e.id::text as source, null::date as booked_on,
        case when exists (select from credits c where c.order_id = e.order_id) then ${accounts.issue} else ${accounts.payout} end as debit,
        ${tokensIn('e.chain')} as credit, e.currency, e.amount
      from ended e where e.kind = 'issue' and e.outcome = 'done'
      union all
      select 'redeemed', e.id::text, null, ${tokensIn('e.chain')}, ${accounts.payout}, e.currency, e.amount
      from ended e where e.kind = 'redeem' and e.outcome = 'done'`)}
    select ${endedLegs} as ended,
      (select coalesce(jsonb_agg(jsonb_build_object('orderId', order_id, 'chain', chain)), '[]') from readied) as readied
  `.execute(tx);
  return rows[0] as EndedLegs;
}
