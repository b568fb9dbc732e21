import { lockImports } from '../ledger/bank/bank-files.ts';
import type { RecordOptions } from '../ledger/bank/match-credits.ts';
import { recordPaymentsInSum, requireReturned, type ReturnedInSum } from '../ledger/bank/returns/payments-in-one-sum.ts';
import { inTransaction, type Ledger } from '../ledger/ledger.ts';
import { applyMoney } from './money/apply-money.ts';
import { createStatementReport } from './statement-report.ts';

/**
 * Matches an unmatched credit to the payments of ours that came back by it in one sum, as an operator says, once: each is returned by a credit of its own, which replaces
 * a part of it. Waits until no import runs. Returns what each gives back. Throws `not_found`, `credit_not_unmatched` and `not_possible`.
 */
export async function matchToPayments(
  ledger: Ledger,
  { reference, payments }: { reference: string; payments: readonly string[] },
  options: RecordOptions,
): Promise<ReturnedInSum[]> {
  return inTransaction(ledger, async (tx) => {
    // An import must not decide again what the credit is meanwhile.
    await lockImports(tx);
    const document = await recordPaymentsInSum(tx, reference, payments);
    await applyMoney(tx, new Map([[document, payments.length]]), { options, report: createStatementReport() });
    return requireReturned(tx, reference, document);
  });
}
