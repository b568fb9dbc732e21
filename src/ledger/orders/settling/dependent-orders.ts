import { sql } from 'kysely';
import type { Chain } from '../../../platform/chains.ts';
import { dependentOrderIdOf } from '../../derived-ids.ts';
import { hiddenFromPlanner } from '../../hidden-from-planner.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { laneQueue } from '../../wake-ups.ts';
import { recordDependentOrder } from '../traces/order-spans.ts';
import { beginLegs } from '../legs/begin-legs.ts';
import type { LegOutcome } from './leg-outcome.ts';

/**
 * A payout to a chain is carried out by an issue order there, for the approved profile that has linked the address, else for the sender's. Returns
 * the refusals of payouts whose order cannot be placed, because another redemption has its id: their tokens are given back.
 */
export async function placeDependentOrders(tx: LedgerTransaction, orders: string[]): Promise<LegOutcome[]> {
  const startedAt = Date.now();
  const { rows } = await sql<{ legId: string; chain: Chain | null; source: string; dependent: string; isTaken: boolean }>`
    with due as (
      select l.id as leg, l.chain as to_chain, l.account as to_address, ${dependentOrderIdOf('o')} as dependent, o.*
      from open_legs l join orders o on o.id = any(array[l.order_id])
      where l.kind = 'payout' and ${hiddenFromPlanner(sql`l.chain is not null and l.state = 'ready'`)} and l.order_id = any(${orders}::uuid[])
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
      update open_legs l set state = 'sent' from due d join placed p on p.id = d.dependent where l.id = any(array[d.leg])
    ), ${beginLegs(sql`
      select id, 'issue', 0, chain, currency, address, amount, 'ready', 'nobody', null::text, null::timestamptz from placed`)}
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

/** The end of a dependent order is the outcome of its source's payout. */
export async function outcomesForSources(
  tx: LedgerTransaction,
  settled: readonly { orderId: string; hasSource: boolean }[],
): Promise<LegOutcome[]> {
  const dependent = settled.filter(({ hasSource }) => hasSource).map(({ orderId }) => orderId);
  if (dependent.length === 0) return [];
  const { rows } = await sql<LegOutcome>`
    select l.id as "legId", o.tx_hashes[1] as "txHash", null as "blockNumber", o.rejected_reason as refused
    from orders o join open_legs l on l.order_id = any(array[o.source_order]) and ${hiddenFromPlanner(sql`l.kind = 'payout'`)}
    where o.id = any(${dependent}::uuid[])
  `.execute(tx);
  return rows;
}
