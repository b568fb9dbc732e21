import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import type { MinorUnits } from '../../../platform/money.ts';
import { accounts, bankAccount } from '../../book/accounts.ts';
import { recordEntries } from '../../book/entries.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { isNotBooked } from '../derived-references.ts';
import { creditChanged, lockCredits } from './locked-credit.ts';
import { currentReversal } from '../../book/reversal-source.ts';

/** A debit of which it was undone that it took credits back. */
export interface UndoneReversal {
  debit: string;
  /** What the debit is over, in minor units. */
  amount: MinorUnits;
  currency: string;
  credits: UndoneCredit[];
  /** Whether the debit waits to be explained; one that only said that the bank had not booked the credit has ended. */
  isWaiting: boolean;
}

/** A credit that was not taken back after all. */
export interface UndoneCredit {
  credit: string;
  /** Whether it is unmatched again; else it is what it was all the time, and only its claim is gone. */
  isUnmatched: boolean;
}

/** Why an operator undoes a reversal, and who that is. */
interface Decision {
  reason: string;
  operator: string;
}

/** What a debit takes back of a credit. */
interface Reversal {
  reference: string;
  credit: string;
  amount: MinorUnits;
}

/**
 * Undoes that a debit took credits back, as when it was another credit: claims of which nothing is recovered end, and credits are unmatched again, and
 * can be matched. The debit waits for an explanation again, and no import takes a credit back by it any more; one that said that the bank had not booked the credit ends. Orders that were rejected
 * stay rejected. The debit may be named by the reference of one of its claims. Throws `not_found`, `not_possible`.
 */
export async function undoReversal(ledger: Ledger, reference: string, decision: Decision): Promise<UndoneReversal> {
  return inTransaction(ledger, async (tx) => {
    const { debit, amount, currency, reversals } = await lockReversals(tx, reference);
    const credits: UndoneCredit[] = [];
    for (const reversal of reversals) credits.push(await undoOne(tx, { debit, currency, reversal, decision }));
    await markUndone(tx, debit, reversals.map(({ credit }) => credit).join(', '), decision);
    await tx.deleteFrom('reversals').where('debit', '=', debit).execute();
    return { debit, amount, currency, credits, isWaiting: !(await endNotBooked(tx, debit)) };
  });
}

async function undoOne(
  tx: LedgerTransaction,
  { debit, currency, reversal, decision }: { debit: string; currency: string; reversal: Reversal; decision: Decision },
): Promise<UndoneCredit> {
  const { reference, credit, amount } = reversal;
  const claim = await tx
    .selectFrom('claims')
    .where('reversal', '=', reference)
    .select(['state', 'recovered'])
    .forUpdate()
    .executeTakeFirst();
  if (claim?.state === 'recovered' || claim?.state === 'written_off' || (claim?.recovered ?? 0n) > 0n) throw settled(debit, reference);
  // A void claim has ended with the reversal of the credit.
  const isUnmatched = claim === undefined || claim.state === 'void';
  const source = await currentReversal(tx, reference);
  const undone = isUnmatched ? accounts.suspense : accounts.claims;
  await recordEntries(tx, [{ kind: 'reversal-undone', source, debit: accounts.differences, credit: undone, currency, amount }]);
  await tx.deleteFrom('claims').where('reversal', '=', reference).execute();
  if (isUnmatched) await reopenReversed(tx, credit, decision.reason);
  return { credit, isUnmatched };
}

/** What a debit took back, for who is about to undo that. The debit may be named by the reference of one of its claims. Throws `not_found`. */
export async function findReversals(ledger: Ledger, reference: string) {
  const debit = await debitOf(ledger, reference);
  const reversals = await ledger
    .selectFrom('reversals')
    .innerJoin('bankDebits', 'bankDebits.reference', 'reversals.debit')
    .where('reversals.debit', '=', debit)
    .orderBy('reversals.credit')
    .select(['reversals.credit', 'reversals.amount', 'bankDebits.currency'])
    .execute();
  if (reversals.length === 0) throw unknown(debit);
  return { debit, reversals };
}

async function debitOf(ledger: Ledger, reference: string): Promise<string> {
  const known = await ledger
    .selectFrom('reversals')
    .where((eb) => eb.or([eb('debit', '=', reference), eb('reference', '=', reference)]))
    .select('debit')
    .executeTakeFirst();
  return known?.debit ?? reference;
}

/** Locks the credits that a debit took back, and the debit. Throws `not_found`. */
async function lockReversals(tx: LedgerTransaction, reference: string) {
  const debit = await debitOf(tx, reference);
  const ofDebit = () => tx.selectFrom('reversals').where('debit', '=', debit).orderBy('credit').select(['reference', 'credit', 'amount']);
  const before = await ofDebit().execute();
  const credits = before.map(({ credit }) => credit);
  await lockCredits(tx, credits);
  const locked = await tx
    .selectFrom('bankDebits')
    .where('reference', '=', debit)
    .where('state', 'in', ['reversal', 'explained'])
    .select((eb) => ['currency', eb.ref('amount').$castTo<MinorUnits>().as('amount')])
    .forUpdate()
    .executeTakeFirst();
  const reversals = await ofDebit().execute();
  if (locked === undefined || reversals.length === 0 || reversals.map(({ credit }) => credit).join() !== credits.join())
    throw unknown(debit);
  return { debit, ...locked, reversals };
}

/** `reversed` -> `unmatched`. */
async function reopenReversed(tx: LedgerTransaction, reference: string, reason: string): Promise<void> {
  const { numAffectedRows } = await sql`
    update credits set state = 'unmatched', order_id = null, returned_at = null, reason = 'the bank did not take it back: ' || ${reason}::text,
      facts = coalesce(facts, '{}') || jsonb_strip_nulls(jsonb_build_object('orderId', order_id))
    where reference = ${reference} and state = 'reversed'
  `.execute(tx);
  if (numAffectedRows !== 1n) throw creditChanged(reference);
}

async function markUndone(tx: LedgerTransaction, debit: string, credits: string, { reason, operator }: Decision): Promise<void> {
  await tx
    .updateTable('bankDebits')
    .set({
      state: 'unexplained',
      explainedAs: null,
      explanation: null,
      explainedBy: null,
      explainedAt: null,
      problem: `that it took ${credits} back was undone: ${reason}`,
      reversalsUndone: sql`reversals_undone + 1`,
      lastUndoneCredit: credits,
      lastUndoReason: reason,
      lastUndoneBy: operator,
    })
    .where('reference', '=', debit)
    .execute();
}

/** A debit that no file reports, by which an operator took a credit back as not booked, ends with that. `unexplained` -> `replaced`. */
async function endNotBooked(tx: LedgerTransaction, debit: string): Promise<boolean> {
  const ended = await tx
    .updateTable('bankDebits')
    .set({ state: 'replaced' })
    .where('reference', '=', debit)
    .where(isNotBooked(sql`reference`))
    .returning((eb) => ['account', 'currency', eb.ref('amount').$castTo<MinorUnits>().as('amount')])
    .returning(sql<string>`booked_on::text`.as('bookedOn'))
    .executeTakeFirst();
  if (ended === undefined) return false;
  const { account, currency, amount, bookedOn } = ended;
  const undone = { bookedOn, debit: bankAccount(account), credit: accounts.differences, currency, amount };
  await recordEntries(tx, [{ kind: 'debit-replaced', source: debit, ...undone }]);
  return true;
}

function unknown(debit: string): StopError {
  const message = `No credit was taken back by the debit ${debit}; \`mintrail bank claims\` lists the claims, and \`mintrail book account assets:claims\` those that have ended`;
  return new StopError({ code: 'not_found', message });
}

function settled(debit: string, claim: string): StopError {
  const which = debit === claim ? claim : `${claim} of the debit ${debit}`;
  return new StopError({
    code: 'not_possible',
    message: `The claim ${which} is recovered in part, or has ended: what was paid for it, or written off, cannot be undone`,
  });
}
