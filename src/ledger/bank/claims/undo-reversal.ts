import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import type { MinorUnits } from '../../../platform/money.ts';
import { accounts, bankAccount } from '../../book/accounts.ts';
import { recordEntries } from '../../book/entries.ts';
import { currentReversal } from '../../book/reversal-source.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { creditsChanged } from '../credit-standing.ts';
import { isNotBooked } from '../derived-references.ts';
import { lockCredits } from './locked-credit.ts';

/**
 * Undoes that a debit took credits back, as when it was another credit: claims of which nothing is recovered end, and credits are unmatched again, and
 * can be matched. The debit waits for an explanation again (`isWaiting`), and no import takes a credit back by it any more; one that said that the bank had not booked the
 * credit ends. Orders that were rejected
 * stay rejected. The debit may be named by the reference of one of its claims. Returns what the debit is over, and of each credit whether it is unmatched again:
 * else it is what it was all the time, and only its claim is gone. Throws `not_found`, `not_possible`.
 */
export async function undoReversal(ledger: Ledger, reference: string, { reason, operator }: { reason: string; operator: string }) {
  return inTransaction(ledger, async (tx) => {
    const { debit, amount, currency, reversals } = await lockReversals(tx, reference);
    const credits: { credit: string; isUnmatched: boolean }[] = [];
    for (const reversal of reversals) credits.push(await undoOne(tx, reversal, reason));
    const named = reversals.map(({ credit }) => credit).join(', ');
    await tx
      .updateTable('bankDebits')
      .set({ state: 'unexplained', problem: `that it took ${named} back was undone: ${reason}` })
      .set({ explainedAs: null, explanation: null, explainedBy: null, explainedAt: null })
      .set({ reversalsUndone: sql`reversals_undone + 1`, lastUndoneCredit: named, lastUndoReason: reason, lastUndoneBy: operator })
      .where('reference', '=', debit)
      .where('state', 'in', ['reversal', 'explained'])
      .execute();
    await tx.deleteFrom('reversals').where('debit', '=', debit).execute();
    return { debit, amount, currency, credits, isWaiting: !(await endNotBooked(tx, debit)) };
  });
}

type Reversal = Awaited<ReturnType<typeof findReversals>>['reversals'][number];

async function undoOne(tx: LedgerTransaction, { reference, debit, credit, amount, currency }: Reversal, reason: string) {
  const claim = await tx
    .selectFrom('claims')
    .where('reversal', '=', reference)
    .select(['state', 'recovered'])
    .forUpdate()
    .executeTakeFirst();
  if (claim?.state === 'recovered' || claim?.state === 'written_off' || (claim?.recovered ?? 0n) > 0n) {
    const which = debit === reference ? reference : `${reference} of the debit ${debit}`;
    const message = `The claim ${which} is recovered in part, or has ended: what was paid for it, or written off, cannot be undone`;
    throw new StopError({ code: 'not_possible', message });
  }
  // A void claim has ended with the reversal of the credit.
  const isUnmatched = claim === undefined || claim.state === 'void';
  const source = await currentReversal(tx, reference);
  const undone = isUnmatched ? accounts.suspense : accounts.claims;
  await recordEntries(tx, [{ kind: 'reversal-undone', source, debit: accounts.differences, credit: undone, currency, amount }]);
  await tx.deleteFrom('claims').where('reversal', '=', reference).execute();
  if (isUnmatched) await reopenReversed(tx, credit, reason);
  return { credit, isUnmatched };
}

/** What a debit took back, for who is about to undo that. The debit may be named by the reference of one of its claims. Throws `not_found`. */
export async function findReversals(ledger: Ledger, reference: string) {
  const reversals = await ledger
    .selectFrom('reversals as v')
    .innerJoin('bankDebits as d', 'd.reference', 'v.debit')
    .where('v.debit', '=', sql<string>`coalesce((select debit from reversals where reference = ${reference}), ${reference})`)
    .orderBy('v.credit')
    .select(['v.reference', 'v.debit', 'v.credit', 'v.amount', 'd.currency'])
    .execute();
  const [first] = reversals;
  if (first === undefined) throw unknown(reference);
  return { debit: first.debit, reversals };
}

/** Locks the credits that a debit took back, and the debit. Throws `not_found`. */
async function lockReversals(tx: LedgerTransaction, reference: string) {
  const before = await findReversals(tx, reference);
  const credits = before.reversals.map(({ credit }) => credit);
  await lockCredits(tx, credits);
  const { rows } = await sql<{ amount: MinorUnits; currency: string }>`
    select amount, currency from bank_debits where reference = ${before.debit} and state in ('reversal', 'explained') for update
  `.execute(tx);
  const { debit, reversals } = await findReversals(tx, before.debit);
  const [locked] = rows;
  if (locked === undefined || reversals.map(({ credit }) => credit).join() !== credits.join()) throw unknown(debit);
  return { debit, ...locked, reversals };
}

/** `reversed` -> `unmatched`. */
async function reopenReversed(tx: LedgerTransaction, reference: string, reason: string): Promise<void> {
  const { numAffectedRows } = await sql`
    update credits set state = 'unmatched', order_id = null, returned_at = null, reason = 'the bank did not take it back: ' || ${reason}::text,
      facts = coalesce(facts, '{}') || jsonb_strip_nulls(jsonb_build_object('orderId', order_id))
    where reference = ${reference} and state = 'reversed'
  `.execute(tx);
  if (numAffectedRows !== 1n) throw creditsChanged([reference]);
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
