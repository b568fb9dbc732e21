import { type ReportedMoney, type ReversalOutcome, reverseCredits } from '../ledger/bank/claims/credit-reversals.ts';
import type { NewCredit } from '../ledger/bank/match-credits.ts';
import type { LedgerTransaction } from '../ledger/ledger.ts';
import type { ReportedReversal } from './apply-debits.ts';
import type { ReportedEntry } from './reported-entry.ts';
import type { createStatementReport } from './statement-report.ts';

/** Takes the credits back that debits reverse, and says of each in the report what was done. */
export async function applyReversals(
  tx: LedgerTransaction,
  { reversals, entries }: { reversals: readonly ReportedReversal[]; entries: readonly ReportedEntry[] },
  report: ReturnType<typeof createStatementReport>,
): Promise<void> {
  const outcomes = await reverseCredits(tx, {
    debits: reversals.map(({ debit }) => debit.reference),
    credits: entries.flatMap(({ money }) => money.flatMap(moneyOf)),
  });
  const byDebit = new Map(outcomes.map((outcome) => [outcome.debit, outcome]));
  for (const { entry, debit } of reversals) {
    const outcome = byDebit.get(debit.reference);
    if (outcome?.found !== undefined) report.addDebitAlert(entry, debit, textOf(outcome.found));
    else report.addUnexplained(entry, debit, `it takes a credit back, and ${outcome?.problem ?? 'it is not known which'}`);
  }
}

function moneyOf({ bankAccount: account, currency, amount }: NewCredit): ReportedMoney[] {
  return currency === undefined || amount === undefined ? [] : [{ account, currency, amount }];
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
