import { sql } from 'kysely';
import { RetryError } from '../../../platform/errors.ts';
import type { MinorUnits } from '../../../platform/money.ts';
import { accounts } from '../../book/accounts.ts';
import { recordEntries } from '../../book/entries.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { rejectTakenBack } from '../../orders/lifecycle.ts';
import type { CreditState, LegState, PaymentState } from '../../tables.ts';
import { decidePayments } from '../payment-decisions.ts';

/** A debit that takes a credit back. */
export interface Reversal {
  debit: string;
  credit: string;
  /** Why, for people. */
  reason: string;
  bookedOn: string;
}

/** What taking a credit back did: nothing was lost (`reversed`), it is not known yet (`pending`), or the money is lost unless it is paid (`claim`). */
export type ReversalEffect = 'reversed' | 'pending' | 'claim';

interface LockedCredit {
  state: CreditState;
  orderId: string | null;
  currency: string;
  amount: MinorUnits;
  addedByOperator: MinorUnits | null;
}

/** Where the money of a credit is when the bank takes it back. */
type Place = 'suspense' | 'issue' | 'return' | 'moving' | 'gone';

/**
 * Takes a credit back that a debit reverses; the debit is a difference in the book before. Money that has not gone on stops here: an unmatched credit
 * ends, an order whose leg no transaction has ever carried is rejected, a return that is not sent is not made. A lane that claims the leg at
 * the same moment finds it void, or was faster. Where the money has gone on already, or is on its way, a claim is recorded.
 */
export async function takeCreditBack(tx: LedgerTransaction, { debit, credit, reason, bookedOn }: Reversal): Promise<ReversalEffect> {
  const text = `the bank took the credit back: ${reason}`;
  const payment = await lockReturn(tx, credit);
  if (payment?.state === 'ready') await decidePayments(tx, [{ id: payment.id, refused: text }], ['ready']);
  const locked = await lockCredit(tx, credit);
  const { currency, amount } = locked;
  const place = await placeOf(tx, locked, payment?.state);
  const booked = { kind: 'credit-reversed', source: debit, bookedOn, credit: accounts.differences, currency, amount } as const;
  if (place === 'moving' || place === 'gone') {
    await tx
      .insertInto('claims')
      .values({ debit, credit, currency, amount, state: place === 'moving' ? 'pending' : 'open', reason: null })
      .execute();
    await recordEntries(tx, [{ ...booked, debit: accounts.claims }]);
    return place === 'moving' ? 'pending' : 'claim';
  }
  if (place !== 'suspense') await rejectTakenBack(tx, locked.orderId as string, text);
  await endCredit(tx, credit, text);
  await recordEntries(tx, [{ ...booked, debit: accounts[place] }, ...givenBackToOperator(debit, locked)]);
  return 'reversed';
}

/** Locks the payment that returns a credit, unless the bank refused it or it came back. Payments are locked before credits, as everywhere. */
async function lockReturn(tx: LedgerTransaction, credit: string): Promise<{ id: string; state: PaymentState } | undefined> {
  return tx
    .selectFrom('payments')
    .where('credit', '=', credit)
    .where('state', 'in', ['ready', 'sent', 'accepted'])
    .select(['id', 'state'])
    .forUpdate()
    .executeTakeFirst();
}

async function lockCredit(tx: LedgerTransaction, reference: string): Promise<LockedCredit> {
  const { rows } = await sql<LockedCredit>`
    select state, order_id, currency, amount, added_by_operator from credits where reference = ${reference} for update
  `.execute(tx);
  return rows[0] as LockedCredit;
}

async function placeOf(tx: LedgerTransaction, { state, orderId }: LockedCredit, payment: PaymentState | undefined): Promise<Place> {
  if (state === 'unmatched') return 'suspense';
  if (payment === 'sent') return 'moving';
  if (payment === 'accepted' || state === 'returned' || orderId === null) return 'gone';
  const legs = await lockLegs(tx, orderId);
  const [issue, back] = [legs.find(({ kind }) => kind === 'issue'), legs.find(({ kind }) => kind === 'return')];
  if (issue?.state === 'done') return 'gone';
  if (issue?.state === 'ready' && !issue.wasSent) return 'issue';
  return issue?.state === 'refused' && back?.state === 'ready' ? 'return' : 'moving';
}

async function lockLegs(tx: LedgerTransaction, orderId: string): Promise<{ kind: string; state: LegState; wasSent: boolean }[]> {
  await sql`select from legs where order_id = ${orderId} order by id for update`.execute(tx);
  // A transaction that was cancelled, lost or reverted may still carry the leg out after a reorganisation.
  const { rows } = await sql<{ kind: string; state: LegState; wasSent: boolean }>`
    select kind, state, exists (select from leg_failures f where f.leg = l.id and f.transaction is not null) as was_sent
    from legs l where order_id = ${orderId} order by position
  `.execute(tx);
  return rows;
}

/** `unmatched` or `matched` -> `reversed`. */
async function endCredit(tx: LedgerTransaction, reference: string, text: string): Promise<void> {
  const { numAffectedRows } = await sql`
    update credits set state = 'reversed', reason = ${text}, added_by_operator = null where reference = ${reference} and state in ('unmatched', 'matched')
  `.execute(tx);
  if (numAffectedRows === 1n) return;
  throw new RetryError({ code: 'credit_changed', message: `The credit ${reference} was changed just now: try again` });
}

/** What an operator added to a payment that came back is the operator's again. */
function givenBackToOperator(debit: string, { currency, addedByOperator, state }: LockedCredit) {
  if (addedByOperator === null || state !== 'matched') return [];
  const [debited, credited] = addedByOperator > 0n ? [accounts.issue, accounts.operator] : [accounts.operator, accounts.issue];
  const amount = (addedByOperator > 0n ? addedByOperator : 0n - addedByOperator) as MinorUnits;
  return [{ kind: 'added-by-operator', source: debit, debit: debited, credit: credited, currency, amount }] as const;
}
