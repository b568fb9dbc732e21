import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import { inputRows } from '../input-rows.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { lockImports } from './bank-files.ts';
import { findStandings, wholeCredit } from './credit-standing.ts';
import { recordDebits } from './debits/bank-debits.ts';
import { explainDebit } from './debits/explain-debit.ts';

/** Whether a credit is awaited in a statement, because only notifications report it. */
export interface AwaitedCredit {
  reference: string;
  isAwaited: boolean;
}

/** Records which known credits are awaited now, and which a statement lists. */
export async function recordAwaited(tx: LedgerTransaction, credits: readonly AwaitedCredit[]): Promise<void> {
  if (credits.length === 0) return;
  await sql`
    update credits c set is_awaited = g.is_awaited from ${inputRows(credits, 'reference text, is_awaited boolean')} g
    where c.reference = g.reference
  `.execute(tx);
}

/**
 * An operator says that the bank has not booked a credit that it has notified. It is taken back as by a debit: what is not issued never is, and what was issued is a
 * claim. Waits until no import runs. Throws `not_possible`.
 */
export async function takeAwaitedBack(ledger: Ledger, credit: string, { reason, operator }: { reason: string; operator: string }) {
  return inTransaction(ledger, async (tx) => {
    await lockImports(tx);
    const { currency, amount, bankAccount: account, bookedOn } = await requireAwaited(tx, credit);
    const debit = { reference: `${credit}#not-booked`, account, currency, amount, bookedOn, isSum: false, payee: {}, files: [] };
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
