import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { dependentOrderIdOf } from '../derived-ids.ts';
import { recordAccountOutcomes } from './account-backoffs.ts';
import { hiddenFromPlanner } from '../hidden-from-planner.ts';
import { reversalSource } from '../book/reversal-source.ts';
import { accounts, tokensIn } from '../book/accounts.ts';
import { bookEntries } from '../book/entries.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { LegKind, LegSigner } from '../tables/orders.ts';
import { noteOrder } from './traces/affected-orders.ts';
import { recordDependentOrder, recordSettling } from './traces/order-spans.ts';
import { laneQueue, payoutQueue } from '../wake-ups.ts';

/*
 * Every change of an order's state. An order is `placed` by insertRedemption (from the API), placeCreditOrders (from a credit) or
 * placeDependentOrders (from another chain); then
 *
 *   placed           -> pending    startOrders: a lane has recorded a transaction with one of its legs
 *   placed           -> rejected   rejectUnsigned: its signature is invalid, or did not come in time
 *   placed, pending  -> rejected   rejectTakenBack: the bank took its credit back before it was sent
 *   placed, pending  -> processed  settleLegs: all its legs are done
 *   placed, pending  -> rejected   settleLegs: a leg was refused, and nothing is owed any more
 *
 * Each transition names in its SQL the states in which it may begin, so that of two concurrent ones only one has an effect. A trigger of the
 * database records the events of an order (migration 0010).
 */

/** How a leg ended, as the chain's confirmed log or the bank says. */
export interface LegOutcome {
  legId: string;
  /** Null for a payment by the bank. */
  txHash: string | null;
  blockNumber: bigint | null;
  /** The reason when it was refused; null when it was carried out. */
  refused: string | null;
}

/** An order that has ended. */
export interface EndedOrder {
  orderId: string;
  state: 'processed' | 'rejected';
}

/** `placed` -> `pending` for the orders whose legs are in a transaction. */
export async function startOrders(tx: LedgerTransaction, transaction: string): Promise<void> {
  await sql`
    update orders set state = 'pending'
    where state = 'placed' and id = any(array(select order_id from legs where transaction = ${transaction}))
  `.execute(tx);
}

/** The signature of a waiting redemption is valid: its first leg becomes ready. */
export async function releaseRedemption(tx: LedgerTransaction, orderId: string): Promise<void> {
  const legs = await tx
    .updateTable('legs')
    .set({ state: 'ready', dueAt: sql`now()` })
    .where('orderId', '=', orderId)
    .where('position', '=', 0)
    .where('state', '=', 'waiting')
    .returning('chain')
    .execute();
  for (const { chain } of legs) if (chain !== null) tx.wakeUps.add(laneQueue(chain));
}

/** `placed` -> `rejected` for a redemption whose signature is invalid, or did not come in time. Nothing was burnt, so nothing is paid out. */
export async function rejectUnsigned(tx: LedgerTransaction, orderId: string, reason: string): Promise<void> {
  await sql`
    with refused as (
      update legs set state = 'refused', reason = ${reason}, done_at = now()
      where order_id = ${orderId} and position = 0 and state = 'waiting'
      returning order_id
    ), voided as (
      update legs l set state = 'void', done_at = now()
      from refused r where l.order_id = r.order_id and l.position > 0 and l.state = 'waiting'
    )
    update orders o set state = 'rejected', rejected_reason = ${reason}
    from refused r where o.id = r.order_id and o.state = 'placed'
  `.execute(tx);
}

/**
 * The bank took the credit of an order back before a transaction carried its leg: nothing is issued, and nothing returned. `placed` or `pending`
 * -> `rejected`; an order that is rejected already only keeps its return from being made.
 */
export async function rejectTakenBack(tx: LedgerTransaction, orderId: string, reason: string): Promise<void> {
  await sql`
    with voided as (
      update legs set state = 'void', done_at = now(), claimed_by = null
      where order_id = ${orderId} and state = 'ready' and kind in ('issue', 'return')
      returning order_id
    )
    update orders o set state = 'rejected', rejected_reason = ${reason}
    from voided v where o.id = v.order_id and o.state in ('placed', 'pending')
  `.execute(tx);
  noteOrder(orderId);
}

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
  const ended = await endLegs(tx, outcomes);
  if (ended.length === 0) return [];
  const byContract = ended.filter(({ signedBy }) => signedBy === 'contract').map(({ id }) => id);
  if (byContract.length > 0) await recordAccountOutcomes(tx, byContract);
  const orders = [...new Set(ended.map(({ orderId }) => orderId))];
  const next = ended.some(({ kind }) => kind === 'redeem') ? await readyNextLegs(tx, orders) : [];
  if (ended.some(({ kind }) => kind === 'issue')) await decideIssueClaims(tx, orders);
  if (ended.some(({ state }) => state === 'refused')) {
    await voidNextLegs(tx, orders);
    await giveBackRefusedPayouts(tx, orders);
    await sendBackRefusedCredits(tx, orders);
  }
  const unplaced = next.some(({ chain }) => chain !== null) ? await placeDependentOrders(tx, orders) : [];
  const settled = await endOrders(tx, orders);
  recordSettling(startedAt, ended, settled);
  const following = [...unplaced, ...(await outcomesForSources(tx, settled))];
  return [...settled.map(({ orderId, state }) => ({ orderId, state })), ...(following.length > 0 ? await settle(tx, following) : [])];
}

interface EndedLeg {
  id: string;
  orderId: string;
  kind: LegKind;
  state: 'done' | 'refused';
  signedBy: LegSigner;
}

/**
 * Ends legs, and books what a done one moved: an issue pays a credit off, or else gives burnt tokens back or issues them elsewhere. A leg that was
 * tried again after a refusal does not end by an outcome that is as old: another worker may still hold that one.
 */
async function endLegs(tx: LedgerTransaction, outcomes: LegOutcome[]): Promise<EndedLeg[]> {
  const input = JSON.stringify(outcomes.map((outcome) => ({ ...outcome, blockNumber: outcome.blockNumber?.toString() ?? null })));
  const { rows } = await sql<EndedLeg>`
    with input as (
      select * from jsonb_to_recordset(${input}::jsonb) as g("legId" uuid, "txHash" text, "blockNumber" bigint, refused text)
    ), ended as (
    update legs set
      state = case when g.refused is null then 'done' else 'refused' end,
      tx_hash = g."txHash", block_number = g."blockNumber", reason = g.refused, done_at = now(), claimed_by = null
    from input g
    where legs.id = g."legId" and ${hiddenFromPlanner(sql`legs.state in ('ready', 'sent')`)} and coalesce(g."blockNumber" > legs.after_block, true)
    returning legs.id, legs.order_id, legs.kind, legs.state, legs.signed_by, legs.chain, legs.currency, legs.amount
    ), ${bookEntries(sql`
      select 'issued' as kind, e.id::text as source, null::date as booked_on,
        case when exists (select from credits c where c.order_id = e.order_id) then ${accounts.issue} else ${accounts.payout} end as debit,
        ${tokensIn('e.chain')} as credit, e.currency, e.amount
      from ended e where e.kind = 'issue' and e.state = 'done'
      union all
      select 'redeemed', e.id::text, null, ${tokensIn('e.chain')}, ${accounts.payout}, e.currency, e.amount
      from ended e where e.kind = 'redeem' and e.state = 'done'`)}
    select id, order_id, kind, state, signed_by from ended
  `.execute(tx);
  return rows;
}

/** The leg behind a redemption is its payout. For one to a chain nobody is woken: `placeDependentOrders` takes it up at once. */
async function readyNextLegs(tx: LedgerTransaction, orders: string[]): Promise<{ chain: Chain | null }[]> {
  const { rows } = await sql<{ chain: Chain | null }>`
    update legs set state = 'ready', due_at = now() from legs before
    where before.order_id = legs.order_id and before.position = legs.position - 1 and ${hiddenFromPlanner(sql`before.state = 'done'`)}
      and ${hiddenFromPlanner(sql`legs.state = 'waiting'`)} and legs.order_id = any(${orders}::uuid[])
    returning legs.chain
  `.execute(tx);
  if (rows.some(({ chain }) => chain === null)) tx.wakeUps.add(payoutQueue);
  return rows;
}

/** Nothing is paid out for a refused redemption. */
async function voidNextLegs(tx: LedgerTransaction, orders: string[]): Promise<void> {
  await sql`
    update legs set state = 'void', done_at = now() from legs before
    where before.order_id = legs.order_id and before.position = legs.position - 1 and ${hiddenFromPlanner(sql`before.state = 'refused'`)}
      and ${hiddenFromPlanner(sql`legs.state = 'waiting'`)} and legs.order_id = any(${orders}::uuid[])
  `.execute(tx);
}

async function giveBackRefusedPayouts(tx: LedgerTransaction, orders: string[]): Promise<void> {
  const { rows } = await sql<{ chain: Chain }>`
    insert into legs (order_id, kind, position, chain, currency, account, amount, state)
    select o.id, 'issue', l.position + 1, o.chain, o.currency, o.address, l.amount, 'ready'
    from unnest(${orders}::uuid[]) as refused (order_id)
    -- An order has one leg of a kind; the limits keep the planner from joining all legs with all orders.
    cross join lateral (
      select position, amount from legs where order_id = refused.order_id and kind = 'payout' and ${hiddenFromPlanner(sql`state = 'refused'`)} limit 1
    ) l
    cross join lateral (select id, chain, currency, address from orders where id = refused.order_id limit 1) o
    on conflict (order_id, kind) do nothing
    returning chain
  `.execute(tx);
  tx.wakeUps.add(...rows.map(({ chain }) => laneQueue(chain)));
}

/**
 * A refused issue: the bank returns the money to a payer whose account is known; else the credit becomes unmatched, for the operator. So does
 * a payment of ours that came back, whose payer is the payee of our payment, or ourselves: what the operator added to it is the operator's again.
 */
async function sendBackRefusedCredits(tx: LedgerTransaction, orders: string[]): Promise<void> {
  const { rows } = await sql`
    with refused as (
      select l.id, l.order_id, l.amount, l.currency, l.reason, c.reference, o.gives_back is null and c.payer ->> 'iban' is not null as is_returned
      from legs l join orders o on o.id = l.order_id join credits c on c.order_id = l.order_id
      where l.kind = 'issue' and l.state = 'refused' and c.state = 'matched' and l.order_id = any(${orders}::uuid[])
    ), sent_back as (
      insert into legs (order_id, kind, position, currency, amount, state)
      select order_id, 'return', 1, currency, amount, 'ready' from refused where is_returned
      on conflict (order_id, kind) do nothing
      returning order_id
    ), kept as (
      update credits c set state = 'unmatched', order_id = null, added_by_operator = null,
        reason = 'the token contract refused the issue: ' || r.reason,
        facts = coalesce(c.facts, '{}') || jsonb_build_object('orderId', r.order_id)
      from refused r where c.reference = r.reference and not r.is_returned
      returning r.id, r.order_id, r.currency, c.currency as came_in, c.amount as came, old.added_by_operator as added
    ), ${bookEntries(sql`
      select 'issue-refused' as kind, r.id::text as source, null::date as booked_on, ${accounts.issue} as debit, k.account as credit,
        r.currency, r.amount
      from refused r join (
        select order_id, ${accounts.return} as account from sent_back union all select order_id, ${accounts.suspense} from kept
      ) k on k.order_id = r.order_id
      union all
      select 'added-by-operator', k.id::text, null,
        case when k.added > 0 then ${accounts.suspense} else ${accounts.operator} end,
        case when k.added > 0 then ${accounts.operator} else ${accounts.suspense} end, k.currency, abs(k.added)
      from kept k where k.added is not null
      union all
      select 'credit-settled', k.id::text, null, ${accounts.operator}, ${accounts.suspense}, k.came_in, k.came
      from kept k where k.came_in <> k.currency`)}
    select from sent_back
  `.execute(tx);
  if (rows.length > 0) tx.wakeUps.add(payoutQueue);
}

/**
 * Decides the claims on credits that the bank took back while their legs were sent: an issue that is done makes the claim the operator's. After one
 * that the token refused nothing was lost, and nothing is returned either.
 */
async function decideIssueClaims(tx: LedgerTransaction, orders: string[]): Promise<void> {
  await sql`
    with decided as (
      select k.reversal, k.credit, l.id as leg, l.state from claims k join credits c on c.reference = k.credit join legs l on l.order_id = c.order_id
      where k.state = 'pending' and c.state = 'matched' and l.kind = 'issue' and l.state in ('done', 'refused') and l.order_id = any(${orders}::uuid[])
    ), ended as (
      update claims k set state = case d.state when 'done' then 'open' else 'void' end, ended_at = case d.state when 'refused' then now() end
      from decided d where k.reversal = d.reversal and k.state = 'pending'
      returning k.*, d.leg
    ), reversed as (
      update credits c set state = 'reversed', reason = 'the bank took the credit back', added_by_operator = null
      from ended e where c.reference = e.credit and e.state = 'void' and c.state = 'matched'
      returning e.leg, c.currency, old.added_by_operator as added
    ), ${bookEntries(sql`
      select 'claim-void' as kind, ${reversalSource(sql`e.reversal`)} as source, null::date as booked_on, ${accounts.issue} as debit, ${accounts.claims} as credit, e.currency, e.amount
      from ended e where e.state = 'void'
      union all
      select 'added-by-operator', r.leg::text, null, case when r.added > 0 then ${accounts.issue} else ${accounts.operator} end,
        case when r.added > 0 then ${accounts.operator} else ${accounts.issue} end, r.currency, abs(r.added)
      from reversed r where r.added is not null`)}
    select
  `.execute(tx);
}

/**
 * A payout to a chain is carried out by an issue order there, for the approved profile that has linked the address, else for the sender's. Returns
 * the refusals of payouts whose order cannot be placed, because another redemption has its id: their tokens are given back.
 */
async function placeDependentOrders(tx: LedgerTransaction, orders: string[]): Promise<LegOutcome[]> {
  const startedAt = Date.now();
  const { rows } = await sql<{ legId: string; chain: Chain | null; source: string; dependent: string; isTaken: boolean }>`
    with due as (
      select l.id as leg, l.chain as to_chain, l.account as to_address, ${dependentOrderIdOf('o')} as dependent, o.*
      from legs l join orders o on o.id = l.order_id
      where l.kind = 'payout' and l.chain is not null and l.state = 'ready' and o.id = any(${orders}::uuid[])
      for update of l
    ), placed as (
      insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, reference_number, correlation_id, source_order)
      select d.dependent, 'issue', coalesce(a.profile, d.profile), d.to_address, d.to_chain, d.currency, d.amount,
        jsonb_build_object('identifier', jsonb_build_object('standard', 'chain', 'address', d.address, 'chain', d.chain), 'details', '{}'::jsonb),
        d.memo, d.reference_number, d.correlation_id, d.id
      from due d left join (address_links k join addresses a on a.address = k.address join profiles r on r.id = a.profile and r.state = 'approved')
        on k.address = d.to_address and k.chain = d.to_chain
      on conflict do nothing
      returning *
    ), sent as (
      update legs l set state = 'sent' from due d join placed p on p.id = d.dependent where l.id = d.leg
    ), legs_added as (
      insert into legs (order_id, kind, position, chain, currency, account, amount, state)
      select id, 'issue', 0, chain, currency, address, amount, 'ready' from placed
    )
    select d.leg as leg_id, p.chain, d.id as source, d.dependent, exists (select from orders taken where taken.id = d.dependent and taken.kind = 'redeem') as is_taken
    from due d left join placed p on p.id = d.dependent
  `.execute(tx);
  const placed = rows.filter(({ chain }) => chain !== null);
  tx.wakeUps.add(...placed.map(({ chain }) => laneQueue(chain as Chain)));
  for (const order of placed) recordDependentOrder(startedAt, order);
  return rows
    .filter(({ isTaken }) => isTaken)
    .map(({ legId }) => ({ legId, txHash: null, blockNumber: null, refused: 'the id of its order on the other chain is taken' }));
}

/**
 * Ends the orders whose legs have ended. A refused issue order is rejected at once, while its return goes on. A redemption is rejected when
 * the tokens are given back, or were never burnt. One whose tokens cannot be given back stays pending: it is stuck, and the operator's.
 */
async function endOrders(tx: LedgerTransaction, orders: string[]): Promise<(EndedOrder & { hasSource: boolean })[]> {
  const { rows } = await sql<EndedOrder & { hasSource: boolean }>`
    with progress as (
      select order_id,
        bool_or(kind = 'issue' and position = 0) as issues,
        bool_and(state = 'done') as done,
        bool_or(state in ('ready', 'sent')) as under_way,
        bool_or(kind = 'issue' and state = 'refused') as issue_refused,
        (array_agg(reason order by position) filter (where state = 'refused'))[1] as reason,
        array_agg(tx_hash order by position) filter (where tx_hash is not null and (kind <> 'payout' or state = 'done')) as hashes
      from legs where order_id = any(${orders}::uuid[]) group by order_id
    ), ended as (
      select p.order_id, p.reason, p.hashes, case
        when p.issues and p.issue_refused then 'rejected'
        when p.under_way or p.issue_refused then null
        when p.reason is not null then 'rejected'
        when p.done then 'processed'
      end as end_state
      from progress p
    ), moved as (
      update orders o set
        state = coalesce(e.end_state, o.state),
        processed_at = case when e.end_state = 'processed' then now() end,
        rejected_reason = case when e.end_state = 'rejected' then e.reason end,
        tx_hashes = coalesce(e.hashes, '{}')
      from ended e where o.id = e.order_id and o.state in ('placed', 'pending')
      returning o.id, o.state, o.source_order
    )
    select id as "orderId", state, source_order is not null as has_source from moved where state in ('processed', 'rejected')
  `.execute(tx);
  return rows;
}

/** The end of a dependent order is the outcome of its source's payout. */
async function outcomesForSources(
  tx: LedgerTransaction,
  settled: readonly { orderId: string; hasSource: boolean }[],
): Promise<LegOutcome[]> {
  const dependent = settled.filter(({ hasSource }) => hasSource).map(({ orderId }) => orderId);
  if (dependent.length === 0) return [];
  const { rows } = await sql<LegOutcome>`
    select l.id as "legId", o.tx_hashes[1] as "txHash", null as "blockNumber", o.rejected_reason as refused
    from orders o join legs l on l.order_id = o.source_order and l.kind = 'payout'
    where o.id = any(${dependent}::uuid[])
  `.execute(tx);
  return rows;
}

/** Gives an issue order that waits another account and chain: since the back-up from which the ledger was restored, its holder had chosen them. */
export async function redirectIssue(tx: LedgerTransaction, order: string, to: { account: LowerAddress; chain: Chain }): Promise<void> {
  await sql`
    with redirected as (
      update legs set account = ${to.account}, chain = ${to.chain}, token = null, sequence = null, claimed_by = null
      where order_id = ${order} and kind = 'issue' and state = 'ready' returning order_id
    )
    update orders o set address = ${to.account}, chain = ${to.chain} from redirected r where o.id = r.order_id
  `.execute(tx);
}
