import { reverseCredits } from '../ledger/bank/claims/credit-reversals.ts';
import { possibleReversals } from '../ledger/bank/claims/possible-reversals.ts';
import { possibleFirstReports } from '../ledger/bank/debits/repeated-debits.ts';
import type { TakenBack } from '../ledger/bank/claims/taken-back.ts';
import type { LedgerTransaction } from '../ledger/ledger.ts';
import type { ReportedReversal } from './apply-debits.ts';
import type { createStatementReport } from './statement-report.ts';

/** What may be taken back by a file. */
export interface ReversedMoney {
  /** Its debits that take credits back. */
  reversals: readonly ReportedReversal[];
  /** Its documents, which may report the credits that earlier debits take back. */
  documents: readonly string[];
}

/** Takes the credits back that debits reverse, and says in the report of each what was done: also of debits of earlier files. */
export async function applyReversals(
  tx: LedgerTransaction,
  { reversals, documents }: ReversedMoney,
  report: ReturnType<typeof createStatementReport>,
): Promise<void> {
  const outcomes = await reverseCredits(tx, { debits: reversals.map(({ debit }) => debit.reference), documents });
  const byReference = new Map(reversals.map((reversal) => [reversal.debit.reference, reversal]));
  const proven = new Set<string>();
  for (const { debit: reference, currency, amount, taken } of outcomes) {
    if (taken.length > 0) proven.add(reference);
    const place = byReference.get(reference)?.place;
    for (const credit of taken) report.addDebitAlert(place, { reference, currency, amount }, textOf(credit, place === undefined));
  }
  const unproven = reversals.filter(({ debit }) => !proven.has(debit.reference));
  const waiting = unproven.map(({ debit }) => debit.reference);
  const possible = await possibleReversals(tx, waiting);
  const earlier = await possibleFirstReports(tx, waiting);
  for (const { place, debit, problem } of unproven) {
    const reference = debit.reference;
    const why = unprovenText(possible.get(reference), earlier.get(reference));
    report.addUnexplained(place, debit, problem === undefined ? why : `${problem}; ${why}`);
  }
}

function unprovenText(credits: readonly string[] = [], debits: readonly string[] = []): string {
  const possible = credits.length === 0 ? '' : `; it may be ${credits.join(' or ')}`;
  const earlier = debits.length === 0 ? '' : `; or it is another report of the debit ${debits.join(' or ')}: then it is repeat-of:DEBIT`;
  return `it takes a credit back, and nothing proves which${possible}${earlier}`;
}

function textOf({ credit, orderId, effect }: TakenBack, isEarlier: boolean): string {
  const order = orderId === null ? '' : ` (order ${orderId})`;
  const earlier = isEarlier ? ' by a debit of an earlier file' : '';
  const what = {
    reversed: 'nothing was issued or returned for it',
    pending: 'it is about to be issued or returned: this becomes a claim when it is',
    claim: 'it was issued or returned already: `mintrail bank claims` has the claim',
  }[effect];
  return `THE BANK TOOK THE CREDIT ${credit} BACK${order}${earlier}: ${what}`;
}
