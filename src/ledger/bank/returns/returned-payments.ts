import { sql } from 'kysely';
import type { Chain } from '../../../platform/chains.ts';
import { RetryError } from '../../../platform/errors.ts';
import { formatAmount, type MinorUnits } from '../../../platform/money.ts';
import { nextCreditOrderId } from '../../derived-ids.ts';
import { inputRows } from '../../input-rows.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import type { PaymentState } from '../../../schema/states.ts';
import type { ProfileState } from '../../../schema/states.ts';
import { recordCreditOrder } from '../../orders/traces/order-spans.ts';
import type { RecordedCredit } from '../credits.ts';
import type { NewCredit } from '../match-credits.ts';
import { isOwnPayment, paymentsNamedBy, returnReason } from './own-payments.ts';
import { decidePayments } from '../payment-decisions.ts';
import { type SecondBooking, secondBookings } from './second-bookings.ts';
import { settleCredit } from '../unmatched/settle-credit.ts';
import { giveBackReturnedPayouts, namedColumns, type NamedPayment, reopenReturnedCredits } from './returned-money.ts';

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
  /** The credit by which it came back before. */
  cameBackBy: string | null;
  /** Of a payout: its order, whose holder gets the tokens back. */
  orderId: string | null;
  chain: Chain | null;
  address: string | null;
  isLinked: boolean;
  /** Whether an id is left for the order that gives them back. */
  hasOrderId: boolean;
  profileState: ProfileState | null;
  /** Of a return: the credit that it sent back. */
  credit: string | null;
  creditState: string | null;
  /** The reversal by which the bank took that credit back, while the operator claims it. */
  claim: string | null;
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

type Outcome = Pick<RecordedCredit, 'state' | 'orderId' | 'chain' | 'reason'>;

async function takeBack(tx: LedgerTransaction, arrived: readonly NewCredit[]): Promise<Map<string, Outcome>> {
  const named = arrived.map((credit) => ({ credit, payments: paymentsNamedBy(credit), reason: returnReason(credit) }));
  const pairs = named.flatMap(({ credit: { reference }, payments, reason }) => payments.map((payment) => ({ reference, payment, reason })));
  const known = await lockReturnedPayments(tx, pairs);
  const taken = new Set<string>();
  const matched: ReturnedPayment[] = [];
  const outcomes = new Map<string, Outcome>();
  const corrected = await correctDoubleBookings(tx, known);
  const undone = new Set([...corrected.values()].map((outcome) => outcome.undone));
  for (const [reference, { state, orderId, chain, reason }] of corrected) outcomes.set(reference, { state, orderId, chain, reason });
  const held = new Map<string, string>();
  for (const { credit } of named) {
    if (corrected.has(credit.reference)) continue;
    const candidates = known.flatMap((returned) => {
      const secondBookings = returned.secondBookings.filter(({ debit }) => !undone.has(debit));
      return returned.reference === credit.reference ? [{ ...returned, secondBookings }] : [];
    });
    const [candidate] = candidates;
    const problem =
      candidate === undefined
        ? 'it names no payment of this ledger'
        : candidates.length > 1
          ? `it names several payments: ${candidates.map(({ payment }) => payment).join(', ')}`
          : (returnProblem(candidate) ?? (taken.has(candidate.payment) ? `its payment ${candidate.payment} came back already` : undefined));
    if (candidate === undefined || problem !== undefined) held.set(credit.reference, `${credit.unmatched}; ${problem}`);
    else {
      taken.add(candidate.payment);
      matched.push(candidate);
    }
  }
  await recordReasons(tx, held);
  for (const [reference, reason] of held) outcomes.set(reference, { state: 'unmatched', orderId: null, chain: null, reason });
  for (const [reference, outcome] of await applyReturnedPayments(tx, matched)) outcomes.set(reference, outcome);
  return outcomes;
}

/**
 * A credit that brings a payment of ours back of which the bank has booked a second debit that nobody has explained, as statements say, corrects that: the payee keeps the
 * money of the first. Returns what became of such credits, by the debits that they undo.
 */
async function correctDoubleBookings(
  tx: LedgerTransaction,
  returned: readonly ReturnedPayment[],
): Promise<Map<string, { undone: string } & Outcome>> {
  const corrected = new Map<string, { undone: string } & Outcome>();
  for (const { reference, payment, secondBookings: bookings } of returned) {
    const undone = new Set([...corrected.values()].map((other) => other.undone));
    const second = bookings.find(
      (booking) => booking.isSameMoney && booking.isListed && !booking.isExplained && !undone.has(booking.debit),
    );
    if (second === undefined) continue;
    const { debit } = second;
    const reason = `the bank had booked the payment ${payment} twice, and took the second debit, ${debit}, back`;
    await settleCredit(tx, { reference, as: 'difference', debit, reason, operator: 'import' });
    corrected.set(reference, { undone: debit, state: 'settled', orderId: null, chain: null, reason });
  }
  return corrected;
}

/** Why a returned payment cannot be matched by itself, as a clause; undefined when it can. */
export function returnProblem(returned: ReturnedPayment): string | undefined {
  const { paid, paidCurrency, amount, currency, payment } = returned;
  const problem = lastingProblem(returned);
  if (problem !== undefined) return problem;
  const [second] = returned.secondBookings;
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

/** Why it cannot be matched by an operator either, whatever the amounts are; undefined when it can. */
export function lastingProblem(returned: ReturnedPayment): string | undefined {
  const { reference, kind, state, payment, cameBackBy, isLinked, profileState, address, chain, credit, creditState, claim } = returned;
  if (state === 'ready') return `its payment ${payment} was never sent`;
  if (state === 'refused') {
    const done = kind === 'payout' ? 'the tokens were given back then' : 'the credit that it sends back waits since then';
    return `its payment ${payment} was refused: ${done}`;
  }
  // A payout whose tokens the contract would not take back may be matched again.
  if (state === 'returned' && cameBackBy !== reference) return `its payment ${payment} came back already, by ${cameBackBy}`;
  if (claim !== null) return `the bank took the credit ${credit} that its payment ${payment} sent back: it makes the claim ${claim} good`;
  if (kind === 'return')
    return creditState === 'matched' || creditState === 'returned'
      ? undefined
      : `the credit ${credit} that its payment ${payment} sent back is ${creditState}`;
  if (profileState !== 'approved') return `the profile of its order is ${profileState}`;
  if (!returned.hasOrderId) return 'other orders have all ids that its order could have';
  return isLinked ? undefined : `the address ${address} of its order is no longer linked to its profile on ${chain}`;
}

/** Locks the payments that credits name, and these credits; in this order, as all others do. */
export async function lockReturnedPayments(tx: LedgerTransaction, named: readonly NamedPayment[]): Promise<ReturnedPayment[]> {
  if (named.length === 0) return [];
  await sql`select from payments where id = any(${named.map(({ payment }) => payment)}::uuid[]) order by id for update`.execute(tx);
  await sql`select from credits where reference = any(${named.map(({ reference }) => reference)}::text[]) order by reference for update`.execute(
    tx,
  );
  const { rows } = await sql<ReturnedPayment>`
    select g.reference, g.payment, g.reason, p.kind, p.state, p.amount as paid, p.currency as paid_currency, p.came_back_by, c.amount, c.currency,
      o.id as order_id, o.chain, o.address, r.state as profile_state, sent.reference as credit, sent.state as credit_state, k.reversal as claim, ${secondBookings} as second_bookings,
      exists (select from address_links k join addresses a on a.address = k.address
        where k.address = o.address and k.chain = o.chain and a.profile = o.profile) as is_linked, ${nextCreditOrderId(sql`g.reference`)} is not null as has_order_id
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
 * Returns what became of each credit, by its reference.
 */
export async function applyReturnedPayments(tx: LedgerTransaction, returned: readonly ReturnedPayment[]): Promise<Map<string, Outcome>> {
  // That its money came back shows that it was carried out, whether or not its debit was reported before.
  const executed = returned.filter(({ state }) => state === 'sent').map(({ payment }) => ({ id: payment, refused: null }));
  await decidePayments(tx, executed, ['sent']);
  const outcomes = new Map<string, Outcome>();
  const payouts = returned.filter(({ kind }) => kind === 'payout');
  for (const { reference, orderId, chain } of await giveBackReturnedPayouts(tx, payouts))
    outcomes.set(reference, { state: 'matched', orderId, chain, reason: null });
  const returns = returned.filter(({ kind }) => kind === 'return');
  for (const { reference, reason } of await reopenReturnedCredits(tx, returns))
    outcomes.set(reference, { state: 'settled', orderId: null, chain: null, reason });
  if (outcomes.size === returned.length) return outcomes;
  throw new RetryError({
    code: 'import_busy',
    message: 'The order or the profile of a payment that came back was changed just now. Nothing was applied: try again',
  });
}

async function recordReasons(tx: LedgerTransaction, held: ReadonlyMap<string, string>): Promise<void> {
  if (held.size === 0) return;
  const reasons = [...held].map(([reference, reason]) => ({ reference, reason }));
  await sql`
    update credits c set reason = g.reason from ${inputRows(reasons, 'reference text, reason text')} g
    where c.reference = g.reference and c.state = 'unmatched'
  `.execute(tx);
}
