import { sql } from 'kysely';
import { type EndedOrder } from '../orders/lifecycle.ts';
import { endLegs } from '../orders/legs/end-legs.ts';
import { type EndedLegs, endedLegs, settleEnded } from '../orders/settling/settle-legs.ts';
import { hiddenFromPlanner } from '../hidden-from-planner.ts';
import { accounts, bankAccountIn } from '../book/accounts.ts';
import { bookEntries } from '../book/entries.ts';
import { inputRows } from '../input-rows.ts';
import type { LedgerTransaction } from '../ledger.ts';
import { decideReturnClaims } from './claims/claims.ts';

/** How a payment ended. */
export interface PaymentDecision {
  id: string;
  /** The reason, when it was refused; null when it was carried out. */
  refused: string | null;
  /** The account on which the bank has booked it; missing while it has only accepted it. */
  bankAccount?: string;
  /** The bank's booking day, `YYYY-MM-DD`; today when it is missing. */
  bookedOn?: string | undefined;
}

/**
 * Ends payments and their legs, each once: `ready` or `sent` -> `accepted` or `refused`, as far as `from` allows. What is accepted is booked when
 * the bank has booked it; else it stays among the payments under way until {@link bookPayments}. A
 * refused payout gives the tokens back; a credit whose return is refused waits for the operator again. Returns the payments that were decided now, others having ended
 * before or not being in a state of `from`, and the orders that ended.
 */
export async function decidePayments(
  tx: LedgerTransaction,
  decisions: readonly PaymentDecision[],
  from: readonly ('ready' | 'sent')[],
): Promise<{ ids: string[]; orders: EndedOrder[] }> {
  if (decisions.length === 0) return { ids: [], orders: [] };
  const startedAt = Date.now();
  const { rows } = await sql<{ decided: { id: string; kind: 'payout' | 'return' }[]; ended: EndedLegs['ended'] }>`
    with locked as (
      select p.id, p.state as before, g.refused, g.bank_account, coalesce(g.booked_on, (now() at time zone 'utc')::date) as day
      from payments p join ${inputRows(decisions, 'id uuid, refused text, bank_account text, booked_on date')} g on p.id = any(array[g.id])
      where ${hiddenFromPlanner(sql`p.state = any(${from}::text[])`)} order by p.id for update of p
    ), decided as (
      update payments p set state = case when l.refused is null then 'accepted' else 'refused' end, reason = l.refused, decided_at = now(),
        sent_at = coalesce(p.sent_at, case when l.refused is null then now() end),
        bank_account = l.bank_account, booked_on = case when l.bank_account is not null then l.day end
      from locked l where p.id = any(array[l.id]) and ${hiddenFromPlanner(sql`p.state = any(${from}::text[])`)}
      returning p.*, l.before
    ), ${endLegs(
      sql`using decided d where l.id = any(array[d.leg]) and ${hiddenFromPlanner(sql`l.state in ('ready', 'sent')`)}`,
      sql`case when d.reason is null then 'done' else 'refused' end, null::text, null::bigint, d.reason`,
    )}, ${bookMoves('decided')}
    select (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'kind', kind)), '[]') from decided) as decided,
      ${endedLegs} as ended
  `.execute(tx);
  const [{ decided, ended }] = rows as [(typeof rows)[number]];
  const orders = await settleEnded(tx, { ended, readied: [] }, startedAt);
  const returns = decided.filter(({ kind }) => kind === 'return').map(({ id }) => id);
  await reopenCredits(tx, returns);
  await decideReturnClaims(tx, returns);
  return { ids: decided.map(({ id }) => id), orders };
}

/** `ready` -> `sent`. `file` is the payment file that holds them, if there is one. */
export async function markSent(tx: LedgerTransaction, ids: readonly string[], file: string | null): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    with sent as (
      update payments set state = 'sent', sent_at = now(), file = ${file} where id = any(${ids}::uuid[]) and ${hiddenFromPlanner(sql`state = 'ready'`)}
      returning *, 'ready' as before
    ), ${bookMoves('sent')}
    select
  `.execute(tx);
}

/** SQL: a CTE that books payments of a CTE, which has the state of each `before`: as sent, as booked by the bank, as refused. */
function bookMoves(moved: string) {
  const owed = sql`case p.kind when 'payout' then ${accounts.payout} else ${accounts.return} end`;
  return bookEntries(sql`
    select k.kind, p.id::text as source, case k.kind when 'payment-booked' then p.booked_on end as booked_on, k.debit, k.credit, p.currency, p.amount
    from ${sql.ref(moved)} p cross join lateral (
      select 'payment-sent' as kind, ${owed} as debit, ${accounts.payments} as credit where p.before = 'ready' and p.state in ('sent', 'accepted')
      union all select 'payment-booked', ${accounts.payments}, ${bankAccountIn('p.bank_account')} where p.booked_on is not null
      union all select 'payment-refused', ${accounts.payments}, ${owed} where p.before = 'sent' and p.state = 'refused') k`);
}

/** The money of a return that the bank refused is still here: the credit is unmatched, for the operator. */
async function reopenCredits(tx: LedgerTransaction, payments: readonly string[]): Promise<void> {
  if (payments.length === 0) return;
  await sql`
    with reopened as (
    update credits c set state = 'unmatched', order_id = null, returned_at = null,
      reason = 'it could not be returned to its payer: ' || p.reason,
      facts = coalesce(c.facts, '{}') || jsonb_strip_nulls(jsonb_build_object('paymentId', p.id, 'orderId', c.order_id))
    from payments p where p.id = any(${payments}::uuid[]) and ${hiddenFromPlanner(sql`p.state = 'refused'`)} and c.reference = any(array[p.credit])
      and ${hiddenFromPlanner(sql`c.state in ('matched', 'returned')`)}
    returning p.id, p.currency, p.amount
    ), ${bookEntries(sql`
      select 'return-refused' as kind, r.id::text as source, null::date as booked_on, ${accounts.return} as debit, ${accounts.suspense} as credit,
        r.currency, r.amount
      from reopened r`)}
    select
  `.execute(tx);
}

/** Books payments that the bank accepted before it booked them, each once, on the account and day of a decision. Others stay as they are. */
export async function bookPayments(tx: LedgerTransaction, payments: readonly PaymentDecision[]): Promise<void> {
  if (payments.length === 0) return;
  await sql`
    with booked as (
      update payments p set bank_account = g.bank_account, booked_on = coalesce(g.booked_on, (now() at time zone 'utc')::date)
      from ${inputRows(payments, 'id uuid, bank_account text, booked_on date')} g
      where p.id = any(array[g.id]) and ${hiddenFromPlanner(sql`p.state in ('accepted', 'returned') and p.booked_on is null`)}
      returning p.*, 'sent' as before
    ), ${bookMoves('booked')}
    select
  `.execute(tx);
}
