import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import type { MinorUnits } from '../../../platform/money.ts';
import { accounts } from '../../book/accounts.ts';
import { recordEntries } from '../../book/entries.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { creditChanged, lockCredit } from './locked-credit.ts';
import { currentReversal } from '../../book/reversal-source.ts';

/** A reversal that was undone. */
export interface UndoneReversal {
  debit: string;
  credit: string;
  /** What the debit is over, in minor units. */
  amount: MinorUnits;
  currency: string;
  /** Whether the credit is unmatched again; else it is what it was all the time, and only its claim is gone. */
  isUnmatched: boolean;
}

/** Why an operator undoes a reversal, and who that is. */
interface Decision {
  reason: string;
  operator: string;
}

/**
 * Undoes that a debit took a credit back, as when it was another credit: a claim of which nothing is recovered ends, or the credit is unmatched again,
 * and can be matched. The debit waits for an explanation again, and no import takes a credit back by it any more. An order that was rejected
 * stays rejected. Throws `unknown_reversal`, `reversal_settled`.
 */
export async function undoReversal(ledger: Ledger, debit: string, decision: Decision): Promise<UndoneReversal> {
  return inTransaction(ledger, async (tx) => {
    const { credit, amount, currency } = await lockReversal(tx, debit);
    const claim = await tx.selectFrom('claims').where('debit', '=', debit).select(['state', 'recovered']).forUpdate().executeTakeFirst();
    if (claim?.state === 'recovered' || claim?.state === 'written_off' || (claim?.recovered ?? 0n) > 0n) throw settled(debit);
    // A void claim has ended with the reversal of the credit.
    const isUnmatched = claim === undefined || claim.state === 'void';
    await recordEntries(tx, [
      {
        kind: 'reversal-undone',
        source: await currentReversal(tx, debit),
        debit: accounts.differences,
        credit: isUnmatched ? accounts.suspense : accounts.claims,
        currency,
        amount,
      },
    ]);
    await tx.deleteFrom('claims').where('debit', '=', debit).execute();
    if (isUnmatched) await reopenReversed(tx, credit, decision.reason);
    await markUndone(tx, debit, credit, decision);
    return { debit, credit, amount, currency, isUnmatched };
  });
}

/** Locks the credit that a debit took back, and the debit. Throws `unknown_reversal`. */
async function lockReversal(tx: LedgerTransaction, debit: string) {
  const reversal = () =>
    tx
      .selectFrom('bankDebits')
      .where('reference', '=', debit)
      .where('state', 'in', ['reversal', 'explained'])
      .select(['reversedCredit', 'amount', 'currency']);
  const before = await reversal().executeTakeFirst();
  if (before === undefined || before.reversedCredit === null) throw unknown(debit);
  await lockCredit(tx, before.reversedCredit);
  const locked = await reversal().forUpdate().executeTakeFirst();
  if (locked?.reversedCredit !== before.reversedCredit) throw unknown(debit);
  return { credit: before.reversedCredit, amount: locked.amount, currency: locked.currency };
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

async function markUndone(tx: LedgerTransaction, debit: string, credit: string, { reason, operator }: Decision): Promise<void> {
  await tx
    .updateTable('bankDebits')
    .set({
      state: 'unexplained',
      reversedCredit: null,
      explainedAs: null,
      explanation: null,
      explainedBy: null,
      explainedAt: null,
      problem: `that it took ${credit} back was undone: ${reason}`,
      reversalsUndone: sql`reversals_undone + 1`,
      lastUndoneCredit: credit,
      lastUndoReason: reason,
      lastUndoneBy: operator,
    })
    .where('reference', '=', debit)
    .execute();
}

function unknown(debit: string): StopError {
  const message = `No credit was taken back by the debit ${debit}; \`mintrail bank claims\` lists the claims, and \`mintrail book account assets:claims\` those that have ended`;
  return new StopError({ code: 'unknown_reversal', message });
}

function settled(debit: string): StopError {
  return new StopError({
    code: 'reversal_settled',
    message: `The claim ${debit} is recovered in part, or has ended: what was paid for it, or written off, cannot be undone`,
  });
}
