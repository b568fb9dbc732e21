import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import type { MinorUnits } from '../../../platform/money.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { lockImports } from '../bank-files.ts';
import { findStandings, wholeCredit } from '../credit-standing.ts';
import { recordDebits } from '../debits/bank-debits.ts';
import { explainDebit } from '../debits/explain-debit.ts';
import { isNotBooked, notBookedReference } from '../derived-references.ts';
import { unusedReferences } from '../reported-credits.ts';
import { undoReversal } from './undo-reversal.ts';

/**
 * An operator says that the bank has not booked a credit that it has notified. It is taken back as by a debit: what is not issued never is, and what was issued is a
 * claim. Waits until no import runs. Throws `not_possible`.
 */
export async function takeAwaitedBack(ledger: Ledger, credit: string, { reason, operator }: { reason: string; operator: string }) {
  return inTransaction(ledger, async (tx) => {
    await lockImports(tx);
    const { currency, amount, bankAccount: account, bookedOn } = await requireAwaited(tx, credit);
    const [reference = ''] = await unusedReferences(tx, 'bank_debits', [{ reference: notBookedReference(credit), bookedOn }]);
    const debit = { reference, account, currency, amount, bookedOn, isSum: false, payee: {}, files: [] };
    await recordDebits(tx, [{ debit, problem: 'the bank has not booked the credit' }], 'operator');
    return explainDebit(tx, debit.reference, { explanation: { as: 'reversal-of', credits: [credit] }, reason, operator });
  });
}

/** A credit that only a notification reports, and that nothing has taken back. Throws `not_possible`. */
export async function requireAwaited(ledger: Ledger, reference: string) {
  const [standing] = await findStandings(ledger, [reference]);
  const credit = wholeCredit(standing);
  if (credit?.isAwaited === true) return { ...credit, bookedOn: credit.bookedOn ?? new Date().toISOString().slice(0, 10) };
  const message = `${reference} is no credit that only a notification reports: mintrail status names those; one that a statement lists is taken back by a debit of the bank`;
  throw new StopError({ code: 'not_possible', message });
}

/** A credit that was taken back as not booked, and that the bank has booked after all. */
export interface BookedAfterAll {
  credit: string;
  debit: string;
  currency: string;
  amount: MinorUnits;
  /** What became of it: it is unmatched again, its claim has ended, or its claim was settled before and nothing changes. */
  effect: 'unmatched' | 'claim_ended' | 'claim_settled';
}

/** Undoes that operators took credits back as not booked, which statements list now. */
export async function undoNotBooked(tx: LedgerTransaction, listed: readonly string[]): Promise<BookedAfterAll[]> {
  if (listed.length === 0) return [];
  const { rows } = await sql<Omit<BookedAfterAll, 'effect'> & { isSettled: boolean }>`
    select v.credit, v.debit, d.currency, v.amount,
      exists (select from claims k where k.reversal = v.reference and (k.state in ('recovered', 'written_off') or k.recovered > 0)) as is_settled
    from reversals v join bank_debits d on d.reference = v.debit
    where v.credit = any(${listed}::text[]) and ${isNotBooked(sql`d.reference`)} order by v.credit
  `.execute(tx);
  const booked: BookedAfterAll[] = [];
  for (const { isSettled, ...row } of rows) {
    if (isSettled) booked.push({ ...row, effect: 'claim_settled' });
    else {
      const { credits } = await undoReversal(tx, row.debit, { reason: 'a statement lists it', operator: 'import' });
      booked.push({ ...row, effect: credits[0]?.isUnmatched === true ? 'unmatched' : 'claim_ended' });
    }
  }
  return booked;
}
