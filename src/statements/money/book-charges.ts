import { bookCharges, type ChargedCredit } from '../../ledger/bank/booked-charges.ts';
import type { LedgerTransaction } from '../../ledger/ledger.ts';
import type { ReportedLine } from '../../ledger/bank/reported-line.ts';
import { minorUnits } from '../../platform/money.ts';
import type { createStatementReport } from '../statement-report.ts';
import type { Money } from './money.ts';
import { type Plans, referencesOf } from './plan-money.ts';

/** Books what statements list less or more than was issued, or less than the transactions of a sum come to: what the bank has kept as charges, or the rest. What is not so any more is undone. */
export async function bookChargesOf(
  tx: LedgerTransaction,
  planned: Plans,
  { source, report, isNew }: { source: string; report: ReturnType<typeof createStatementReport>; isNew: (line: ReportedLine) => boolean },
): Promise<void> {
  // Most banks name no charges.
  if (!planned.plans.some(({ money }) => money.lines.some(({ charges, entry }) => charges !== null || entry.charges !== null))) return;
  const referenceOf = referencesOf(planned);
  const charged = new Map<string, ChargedCredit & { money?: Money }>();
  for (const { money } of planned.plans)
    for (const { credit } of money.lines)
      if (credit !== null)
        charged.set(credit.reference, { credit: credit.reference, kept: minorUnits(0n), bookedOn: null, statements: [] });
  for (const { money } of planned.plans) {
    const credit = referenceOf(money);
    if (credit !== undefined && money.within === undefined) charged.set(credit, { ...chargedOf(money), credit, money });
  }
  for (const { credit, isDebit, problem, ...booked } of await bookCharges(tx, [...charged.values()], source)) {
    const { money } = charged.get(credit) ?? {};
    const place = (money?.lines.find(isNew) ?? money?.best)?.place;
    if (isDebit) report.addUnexplained(place, booked, problem);
    else report.addRest(place, booked, problem);
  }
}

/** What statements list less of money than counts, in minor units. Of a sum that was reduced, what is left of it counts. */
function chargedOf({ credit, amount, lines, best, kept, left, statements }: Money): Omit<ChargedCredit, 'credit'> {
  const [listed = best] = statements;
  const isOfSum = left !== undefined || (best.isSum && !lines.some((line) => line.amount === credit?.amount));
  const isIssued = credit?.state === 'spent' && statements.length > 0 && !isOfSum;
  const less = isIssued ? (credit.amount ?? 0n) - (amount ?? 0n) : 0n;
  return { kept: minorUnits(kept + less), bookedOn: listed.bookedOn, statements: statements.map(({ document }) => document.statements) };
}
