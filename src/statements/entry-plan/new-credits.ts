import type { NewCredit } from '../../ledger/bank/match-credits.ts';
import type { ReportedCredit } from '../../ledger/bank/reported-credits.ts';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import { conflicting } from '../conflicts.ts';
import { sumOf } from '../reported-entry.ts';
import type { EntryPlan } from './changes.ts';
import { countsUnder, isSpent, sameOrUnknown } from './known-credits.ts';

/** Transactions that are new, of an entry whose sum may be known. */
export function planNewCredits(
  plan: EntryPlan,
  newCredits: NewCredit[],
  { sum, total }: { sum: ReportedCredit | undefined; total: MinorUnits | undefined },
) {
  const done = {
    matched: 'became an order',
    returned: 'was returned',
    settled: 'was settled',
    reversed: 'was taken back by the bank',
    unmatched: '',
    replaced: '',
    repeated: 'is other known money',
  };
  if (sum === undefined || sum.state === 'replaced') plan.record.push(...newCredits);
  else if (isSpent(sum)) {
    const alert = `the sum of its entry, ${sum.reference}, ${done[sum.state]} before its transactions were reported: they change nothing`;
    const reference = countsUnder(sum);
    const repeats = newCredits.map((credit) => ({ ...credit, repeats: { reference, isCertain: true } }));
    plan.record.push(...repeats);
    plan.alerts.push(...repeats.map((credit) => ({ credit, alert })));
  } else {
    const remaining = remainingOf(sum, newCredits, total);
    if (remaining === undefined) {
      const why = `the transactions come to more than what is left of their entry, which is listed as ${sum.reference}`;
      plan.record.push(...newCredits.map((credit) => conflicting(credit, 'details_differ', why)));
    } else {
      if (remaining !== sum.amount) plan.replace.push({ reference: sum.reference, remaining });
      plan.record.push(...newCredits);
    }
  }
}

/** What is left of an unmatched sum beside its new transactions; null for nothing, undefined when they exceed it. */
function remainingOf(sum: ReportedCredit, newCredits: NewCredit[], total: MinorUnits | undefined): MinorUnits | null | undefined {
  if (!newCredits.every(({ currency }) => sameOrUnknown(sum.currency, currency))) return undefined;
  if ((total ?? null) === sum.entryAmount) return null;
  const taken = sumOf(newCredits.map(({ amount }) => amount));
  if (sum.amount === null || taken === undefined || taken > sum.amount) return undefined;
  return taken === sum.amount ? null : minorUnits(sum.amount - taken);
}
