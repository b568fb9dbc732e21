import { sql } from 'kysely';
import type { Chain } from '../../../platform/chains.ts';
import { RetryError } from '../../../platform/errors.ts';
import { formatAmount, type MinorUnits } from '../../../platform/money.ts';
import { nextCreditOrderId } from '../../derived-ids.ts';
import { inputRows } from '../../input-rows.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import type { PaymentState } from '../../../schema/states.ts';
import { recordCreditOrder } from '../../orders/traces/order-spans.ts';
import type { RecordedCredit } from '../credits.ts';
import type { NewCredit } from '../match-credits.ts';
import { isOwnPayment, paymentsNamedBy, returnReason, ownPaymentReasons } from './own-payments.ts';
import { decidePayments } from '../payment-decisions.ts';
import { type SecondBooking, secondBookings } from '../debits/payment-file-debits.ts';
import { settleCredit } from '../unmatched/settle-credit.ts';
import { accounts } from '../../book/accounts.ts';
import { bookEntries } from '../../book/entries.ts';
import { laneQueue } from '../../wake-ups.ts';
import { beginLegs } from '../../orders/legs/begin-legs.ts';

/** A credit beside the payment that it names, both locked. */
export interface ReturnedPayment extends NamedPayment {
  kind: 'payout' | 'return';
  state: PaymentState;
  /** What was paid, in minor units. */
  paid: MinorUnits;
  paidCurrency: string;
  /** What came back, as far as the bank said. */
  amount: MinorUnits | null;
  currency: string | null;
  /** Of a payout: its order, whose holder gets the tokens back. */
  orderId: string | null;
  chain: Chain | null;
  address: string | null;
  /** Of a return: the credit that it sent back. */
  credit: string | null;
  /** Why it cannot be matched by an operator either, whatever the amounts are, as a clause; null when it can. */
  lastingProblem: string | null;
  /** Debits of the payment besides the one that booked it, which the credit may undo. */
  secondBookings: SecondBooking[];
}

/**
 * Matches credits that are payments of ours coming back, which `recordCredits` has just recorded as unmatched, to these payments. A payout
 * gives its tokens back by a new order, whose `gives_back` is the order of the payout; a return makes the credit that it sent back unmatched
 * again. What cannot be matched stays unmatched, and its reason says why. Returns the outcomes of all credits, in their order.
 */
export async function matchReturnedPayments(
  tx: LedgerTransaction,
  credits: readonly NewCredit[],
  recorded: readonly RecordedCredit[],
): Promise<RecordedCredit[]> {
  const arrived = credits.flatMap((credit, index) => {
    const isNew = recorded[index]?.created === true && recorded[index].state === 'unmatched';
    return isNew && isOwnPayment(credit.railReason) ? [credit] : [];
  });
  if (arrived.length === 0) return [...recorded];
  const startedAt = Date.now();
  const outcomes = await takeBack(tx, arrived);
  for (const { orderId } of outcomes.values()) if (orderId !== null) recordCreditOrder(startedAt, orderId, null);
  return recorded.map((credit) => ({ ...credit, ...outcomes.get(credit.reference) }));
}

async function takeBack(tx: LedgerTransaction, arrived: readonly NewCredit[]): Promise<Map<string, ReturnOutcome>> {
  const named = arrived.map((credit) => ({ credit, payments: paymentsNamedBy(credit), reason: returnReason(credit) }));
  const pairs = named.flatMap(({ credit: { reference }, payments, reason }) => payments.map((payment) => ({ reference, payment, reason })));
  const known = await lockReturnedPayments(tx, pairs);
  const corrected = await correctDoubleBookings(tx, known);
  const taken = new Set<string>();
  const matched: ReturnedPayment[] = [];
  const held: ReturnOutcome[] = [];
  for (const { reference, unmatched, isSum = false } of arrived) {
    if (corrected.some((outcome) => outcome.reference === reference)) continue;
    const hold = (why: string) => held.push({ reference, state: 'unmatched', orderId: null, chain: null, reason: `${unmatched}; ${why}` });
    const [candidate, ...others] = known.filter((one) => one.reference === reference);
    const problem = candidate && returnProblem(candidate);
    if (candidate === undefined)
      hold(`it names no payment of this ledger${isSum ? ', nor a file that it comes to: name those that came back, --payment ID,ID' : ''}`);
    else if (others.length > 0) hold(`it names several payments: ${[candidate, ...others].map(({ payment }) => payment).join(', ')}`);
    else if (problem !== undefined) hold(problem);
    else if (taken.has(candidate.payment)) hold(`its payment ${candidate.payment} came back already`);
    else {
      taken.add(candidate.payment);
      matched.push(candidate);
    }
  }
  await sql`
    update credits c set reason = g.reason from ${inputRows(held, 'reference text, reason text')} g where c.reference = g.reference and c.state = 'unmatched'
  `.execute(tx);
  const outcomes = [...corrected, ...held, ...(await applyReturnedPayments(tx, matched))];
  return new Map(outcomes.map((outcome) => [outcome.reference, outcome]));
}

/**
 * A credit that brings a payment of ours back of which the bank has booked a second debit that nobody has explained, as statements say, corrects that: the payee keeps the
 * money of the first. Returns what became of such credits; the debits that they undo are second bookings no more.
 */
async function correctDoubleBookings(tx: LedgerTransaction, returned: readonly ReturnedPayment[]): Promise<ReturnOutcome[]> {
  const outcomes: ReturnOutcome[] = [];
  for (const { reference, payment, secondBookings: bookings } of returned) {
    const second = bookings.find(({ isSameMoney, isListed, isExplained }) => isSameMoney && isListed && !isExplained);
    if (second === undefined) continue;
    const { debit } = second;
    const reason = `the bank had booked the payment ${payment} twice, and took the second debit, ${debit}, back`;
    await settleCredit(tx, { reference, as: 'difference', debit, reason, operator: 'import' });
    for (const other of returned) other.secondBookings = other.secondBookings.filter((booking) => booking.debit !== debit);
    outcomes.push({ reference, state: 'settled', orderId: null, chain: null, reason });
  }
  return outcomes;
}

/** Why a returned payment cannot be matched by itself, as a clause; undefined when it can. */
export function returnProblem(returned: ReturnedPayment): string | undefined {
  const { paid, paidCurrency, amount, currency, payment, lastingProblem, secondBookings: bookings } = returned;
  if (lastingProblem !== null) return lastingProblem;
  const [second] = bookings;
  if (second !== undefined) return bookedTwice(payment, second);
  if (paid === amount && paidCurrency === currency) return undefined;
  const came = amount === null ? 'an unknown amount' : `${formatAmount(amount)} ${currency?.toUpperCase() ?? ''}`.trim();
  return `its payment ${payment} was over ${formatAmount(paid)} ${paidCurrency.toUpperCase()}, and ${came} came back`;
}

function bookedTwice(payment: string, { debit, isExplained, isSameMoney }: SecondBooking): string {
  const own = isExplained ? 'own' : 'own, and the debit explained as own';
  const as = isSameMoney && !isExplained ? `difference:${debit}` : own;
  return `its payment ${payment} may have been booked twice, again by the debit ${debit}: ask the bank. If the payee keeps the money, the credit is to be settled as ${as}; else it is matched to its payment`;
}

/** Locks the payments that credits name, and these credits; in this order, as all others do. */
export async function lockReturnedPayments(tx: LedgerTransaction, named: readonly NamedPayment[]): Promise<ReturnedPayment[]> {
  if (named.length === 0) return [];
  const [payments, credits] = [named.map(({ payment }) => payment), named.map(({ reference }) => reference)];
  await sql`select from payments where id = any(${payments}::uuid[]) order by id for update`.execute(tx);
  await sql`select from credits where reference = any(${credits}::text[]) order by reference for update`.execute(tx);
  const { rows } = await sql<ReturnedPayment>`
    select g.reference, g.payment, g.reason, p.kind, p.state, p.amount as paid, p.currency as paid_currency, c.amount, c.currency, ${secondBookings} as second_bookings,
      o.id as order_id, o.chain, o.address, p.credit, case
        when p.state = 'ready' then format('its payment %s was never sent', p.id)
        when p.state = 'refused' then format('its payment %s was refused: %s', p.id,
          case p.kind when 'payout' then 'the tokens were given back then' else 'the credit that it sends back waits since then' end)
        -- A payout whose tokens the contract would not take back may be matched again.
        when p.state = 'returned' and p.came_back_by is distinct from g.reference
          then format('its payment %s came back already, by %s', p.id, p.came_back_by)
        when k.reversal is not null
          then format('the bank took the credit %s that its payment %s sent back: it makes the claim %s good', p.credit, p.id, k.reversal)
        when p.kind = 'return' and sent.state in ('matched', 'returned') then null
        when p.kind = 'return' then format('the credit %s that its payment %s sent back is %s', p.credit, p.id, sent.state)
        when r.state is distinct from 'approved' then format('the profile of its order is %s', r.state)
        when ${nextCreditOrderId(sql`g.reference`)} is null then 'other orders have all ids that its order could have'
        when not exists (select from address_links k join addresses a on a.address = k.address
          where k.address = o.address and k.chain = o.chain and a.profile = o.profile)
          then format('the address %s of its order is no longer linked to its profile on %s', o.address, o.chain)
      end as lasting_problem
    from ${inputRows(named, namedColumns)} g
    join payments p on p.id = g.payment join credits c on c.reference = g.reference and c.state = 'unmatched'
    left join leg_history l on l.id = p.leg and p.kind = 'payout' left join orders o on o.id = l.order_id left join profiles r on r.id = o.profile
    left join credits sent on sent.reference = p.credit
    left join (claims k join reversals v on v.reference = k.reversal and not v.is_part) on k.credit = p.credit and k.state in ('pending', 'open')
    order by g.reference, g.payment
  `.execute(tx);
  return rows;
}

/**
 * Takes the money of locked payments back, whose problems are excluded. What came back less, or more, than was paid is the operator's.
 * Returns what became of each credit.
 */
export async function applyReturnedPayments(tx: LedgerTransaction, returned: readonly ReturnedPayment[]): Promise<ReturnOutcome[]> {
  // That its money came back shows that it was carried out, whether or not its debit was reported before.
  const executed = returned.filter(({ state }) => state === 'sent').map(({ payment }) => ({ id: payment, refused: null }));
  await decidePayments(tx, executed, ['sent']);
  const outcomes = await takeReturnedMoney(tx, returned);
  if (outcomes.length === returned.length) return outcomes;
  throw new RetryError({
    code: 'import_busy',
    message: 'The order or the profile of a payment that came back was changed just now. Nothing was applied: try again',
  });
}

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
      -- A credit brings a return back once more after an operator has undone that it was taken back.
      select 'added-by-operator', cause || case when exists (select from entries b where b.kind = 'added-by-operator' and b.source = cause) then '#again-' || settled_at else '' end, booked_on, case when added_by_operator > 0 then ${accounts.operator} else account end,
        case when added_by_operator > 0 then account else ${accounts.operator} end, paid_in, abs(added_by_operator)
      from ended where added_by_operator is not null`)}
    select e.reference, e.state, p.id as order_id, p.chain, e.reason from ended e left join placed p on p.id = e.order_id
    where e.kind = 'return' or p.id is not null
  `.execute(tx);
  tx.wakeUps.add(...rows.flatMap(({ chain }) => (chain === null ? [] : [laneQueue(chain)])));
  return rows;
}
