import { type RawBuilder, sql } from 'kysely';
import { RetryError } from '../../../platform/errors.ts';
import type { MinorUnits } from '../../../platform/money.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import type { CreditState, PaymentState } from '../../../schema/states.ts';

/** A locked credit. The legs of its order are locked too. */
export interface LockedCredit {
  state: CreditState;
  orderId: string | null;
  currency: string;
  amount: MinorUnits;
  addedByOperator: MinorUnits | null;
  /** Whether an operator has marked it as returned, and the bank has booked no debit for that. */
  awaitsDebit: boolean;
  /** The payment that returns it, locked too, unless the bank refused that or it came back. */
  payment: { id: string; state: PaymentState } | undefined;
}

/**
 * Locks a credit with the payment that returns it and the legs of its order, in the order of all locks: payments first, then open legs, legs of the history,
 * credits, orders, debits, claims; rows of one table by their ids. What was read without a lock is checked again with it. Returns `undefined` when there is no such credit. Throws `import_busy` when it became an order, or its return was made, while this waited for the lock and
 * another transaction holds that by now.
 */
export async function lockCredit(tx: LedgerTransaction, reference: string): Promise<LockedCredit | undefined> {
  const payment = await returnsOf(tx, reference).forUpdate().executeTakeFirst();
  const before = await tx.selectFrom('credits').where('reference', '=', reference).select('orderId').executeTakeFirst();
  const orderId = before?.orderId ?? null;
  if (orderId !== null) await lockLegs(tx, sql`order_id = ${orderId}`);
  const credit = await tx
    .selectFrom('credits')
    .where('reference', '=', reference)
    .select(['state', 'orderId', 'currency', 'amount', 'addedByOperator', 'awaitsDebit'])
    .forUpdate()
    .executeTakeFirst();
  if (credit === undefined) return undefined;
  if (credit.orderId !== null && credit.orderId !== orderId) throw creditChanged(reference);
  return { ...(credit as Omit<LockedCredit, 'payment'>), payment: payment ?? (await lockNewReturn(tx, reference)) };
}

/**
 * Locks several credits as {@link lockCredit} does, and the payments that they brought back. What they need is locked by kind, so that nobody who locks in
 * that order waits for this transaction while it waits for them. Throws `import_busy` as {@link lockCredit} does.
 */
export async function lockCredits(tx: LedgerTransaction, references: readonly string[]): Promise<void> {
  const credits = sql`any(${references}::text[])`;
  await sql`
    select from payments where came_back_by = ${credits} or (credit = ${credits} and state in ('ready', 'sent', 'accepted')) order by id for update
  `.execute(tx);
  await lockLegs(tx, sql`order_id in (select order_id from credits where reference = ${credits})`);
  await sql`select from credits where reference = ${credits} order by reference for update`.execute(tx);
  for (const reference of references.toSorted()) await lockCredit(tx, reference);
}

/** What is open ends or moves by its row there, what has ended is opened again by that of the history. */
async function lockLegs(tx: LedgerTransaction, which: RawBuilder<unknown>): Promise<void> {
  await sql`select from open_legs where ${which} order by id for update`.execute(tx);
  await sql`select from leg_history where ${which} order by id for update`.execute(tx);
}

/** The error of a credit that another transaction changes at the same time. */
export function creditChanged(reference: string): RetryError {
  return new RetryError({ code: 'import_busy', message: `The credit ${reference} was changed just now: try again` });
}

/** Locks a return that was made while this waited for the credit. Waiting for it as well could be a deadlock: whoever has it may need the credit. */
async function lockNewReturn(tx: LedgerTransaction, reference: string): Promise<LockedCredit['payment']> {
  const made = await returnsOf(tx, reference).executeTakeFirst();
  if (made === undefined) return undefined;
  const payment = await returnsOf(tx, reference).forUpdate().skipLocked().executeTakeFirst();
  if (payment === undefined) throw creditChanged(reference);
  return payment;
}

function returnsOf(tx: LedgerTransaction, credit: string) {
  return tx.selectFrom('payments').where('credit', '=', credit).where('state', 'in', ['ready', 'sent', 'accepted']).select(['id', 'state']);
}
