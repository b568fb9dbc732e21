import { type ReversalOutcome, reverseCredits } from '../ledger/bank/claims/credit-reversals.ts';
import type { LedgerTransaction } from '../ledger/ledger.ts';
import type { ReportedReversal } from './apply-debits.ts';
import type { createStatementReport } from './statement-report.ts';

/** Takes the credits back that debits reverse, and says of each in the report what was done. */
export async function applyReversals(
  tx: LedgerTransaction,
  reported: readonly ReportedReversal[],
  report: ReturnType<typeof createStatementReport>,
): Promise<void> {
  const byReference = new Map(reported.map((reversal) => [reversal.debit.reference, reversal]));
  for (const outcome of await reverseCredits(tx)) {
    const reversal = byReference.get(outcome.debit);
    if (reversal === undefined) continue;
    const { entry, debit } = reversal;
    if (outcome.found === undefined) report.addUnexplained(entry, debit, `it takes a credit back, and ${outcome.problem}`);
    else report.addDebitAlert(entry, debit, textOf(outcome.found));
  }
}

function textOf({ credit, orderId, effect }: NonNullable<ReversalOutcome['found']>): string {
  const order = orderId === null ? '' : ` (order ${orderId})`;
  const what = {
    reversed: 'nothing was issued or returned for it',
    pending: 'it is about to be issued or returned: this becomes a claim when it is',
    claim: 'it was issued or returned already: `mintrail bank claims` has the claim',
  }[effect];
  return `THE BANK TOOK THE CREDIT ${credit} BACK${order}: ${what}`;
}
