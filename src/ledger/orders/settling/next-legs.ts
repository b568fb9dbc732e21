import { type RawBuilder, sql } from 'kysely';
import type { Chain } from '../../../platform/chains.ts';
import { accounts } from '../../book/accounts.ts';
import { bookEntries } from '../../book/entries.ts';
import { reversalSource } from '../../book/reversal-source.ts';
import { hiddenFromPlanner } from '../../hidden-from-planner.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { laneQueue, payoutQueue } from '../../wake-ups.ts';
import { beginLegs } from '../legs/begin-legs.ts';
import { endLegs, isVoid } from '../legs/end-legs.ts';

/** Nothing is paid out for a refused redemption. */
export async function voidNextLegs(tx: LedgerTransaction, orders: string[]): Promise<void> {
  await sql`
    with ${endLegs(
      sql`using leg_history before
        where before.order_id = any(array[l.order_id]) and before.position = l.position - 1 and ${hiddenFromPlanner(sql`before.outcome = 'refused'`)}
          and ${hiddenFromPlanner(sql`l.state = 'waiting'`)} and l.order_id = any(${orders}::uuid[])`,
      isVoid,
    )}
    select from ended
  `.execute(tx);
}

/** The tokens of a redemption whose payout was refused are issued to its address again. */
export async function giveBackRefusedPayouts(tx: LedgerTransaction, orders: string[]): Promise<void> {
  const { rows } = await sql<{ chain: Chain }>`
    with ${beginLegs(
      sql`
      select o.id, 'issue', l.position + 1, o.chain, o.currency, o.address, l.amount, 'ready', 'nobody', null::text, null::timestamptz
      from leg_history l join orders o on o.id = any(array[l.order_id])
      where l.order_id = any(${orders}::uuid[]) and l.kind = 'payout' and ${hiddenFromPlanner(sql`l.outcome = 'refused'`)}`,
      'is left out',
    )}
    select chain from legs_begun
  `.execute(tx);
  tx.wakeUps.add(...rows.map(({ chain }) => laneQueue(chain)));
}

/**
 * A refused issue: the bank returns the money to a payer whose account is known; else the credit becomes unmatched, for the operator. So does
 * a payment of ours that came back, whose payer is the payee of our payment, or ourselves: what the operator added to it is the operator's again.
 */
export async function sendBackRefusedCredits(tx: LedgerTransaction, orders: string[]): Promise<void> {
  const { rows } = await sql`
    with refused as (
      select l.id, l.order_id, l.amount, l.currency, l.reason, c.reference, c.added_by_operator as added,
        o.gives_back is null and c.payer ->> 'iban' is not null as is_returned
      from leg_history l join orders o on o.id = any(array[l.order_id]) join credits c on c.order_id = any(array[l.order_id])
      where l.kind = 'issue' and ${hiddenFromPlanner(sql`l.outcome = 'refused' and c.state = 'matched'`)} and l.order_id = any(${orders}::uuid[])
      for update of c
    ), ${beginLegs(
      sql`
      select order_id, 'return', 1, null::text, currency, null::text, amount, 'ready', 'nobody', null::text, null::timestamptz
      from refused where is_returned`,
      'is left out',
    )}, kept as (
      update credits c set state = 'unmatched', order_id = null, added_by_operator = null,
        reason = 'the token contract refused the issue: ' || r.reason,
        facts = coalesce(c.facts, '{}') || jsonb_build_object('orderId', r.order_id)
      from refused r where c.reference = any(array[r.reference]) and not r.is_returned
      returning r.id, r.order_id, r.currency, c.currency as came_in, c.amount as came, r.added
    ), ${bookEntries(sql`
      select 'issue-refused' as kind, r.id::text as source, null::date as booked_on, ${accounts.issue} as debit, k.account as credit,
        r.currency, r.amount
      from refused r join (
        select order_id, ${accounts.return} as account from legs_begun union all select order_id, ${accounts.suspense} from kept
      ) k on k.order_id = r.order_id
      union all
      select 'added-by-operator', k.id::text, null,
        case when k.added > 0 then ${accounts.suspense} else ${accounts.operator} end,
        case when k.added > 0 then ${accounts.operator} else ${accounts.suspense} end, k.currency, abs(k.added)
      from kept k where k.added is not null
      union all
      select 'credit-settled', k.id::text, null, ${accounts.operator}, ${accounts.suspense}, k.came_in, k.came
      from kept k where k.came_in <> k.currency`)}
    select from legs_begun
  `.execute(tx);
  if (rows.length > 0) tx.wakeUps.add(payoutQueue);
}

/** Decides claims as {@link decidedIssueClaims} does. */
export async function decideIssueClaims(tx: LedgerTransaction, orders: string[]): Promise<void> {
  await sql`with ${decidedIssueClaims(orders)} select`.execute(tx);
}

/**
 * SQL of parts of a statement, of which `claims_decided` locks the credits: decides the claims on credits that the bank took back while their legs were sent. An issue that is
 * done makes the claim the operator's. After one that the token refused nothing was lost, and nothing is returned either. It must begin after the legs have ended: who takes
 * a credit back locks its leg.
 */
export function decidedIssueClaims(orders: string[]): RawBuilder<unknown> {
  return sql`
    claims_decided as materialized (
      select k.reversal, k.credit, l.id as leg, l.outcome, c.added_by_operator as added from claims k join credits c on c.reference = k.credit join leg_history l on l.order_id = c.order_id
      where k.state = 'pending' and c.state = 'matched' and l.kind = 'issue' and l.outcome in ('done', 'refused') and l.order_id = any(${orders}::uuid[])
      for update of c
    ), claims_ended as (
      update claims k set state = case d.outcome when 'done' then 'open' else 'void' end, ended_at = case d.outcome when 'refused' then now() end
      from claims_decided d where k.reversal = d.reversal and k.state = 'pending'
      returning k.*, d.leg, d.added
    ), reversed as (
      update credits c set state = 'reversed', reason = 'the bank took the credit back', added_by_operator = null
      from claims_ended e where c.reference = any(array[e.credit]) and e.state = 'void' and ${hiddenFromPlanner(sql`c.state = 'matched'`)}
      returning e.leg, c.currency, e.added
    ), ${bookEntries(sql`
      select 'claim-void' as kind, ${reversalSource(sql`e.reversal`)} as source, null::date as booked_on, ${accounts.issue} as debit, ${accounts.claims} as credit, e.currency, e.amount
      from claims_ended e where e.state = 'void'
      union all
      select 'added-by-operator', r.leg::text, null, case when r.added > 0 then ${accounts.issue} else ${accounts.operator} end,
        case when r.added > 0 then ${accounts.operator} else ${accounts.issue} end, r.currency, abs(r.added)
      from reversed r where r.added is not null`)}`;
}
