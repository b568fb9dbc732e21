import { keepDebits, type KeptDebit } from '../../ledger/bank/debits/kept-debits.ts';
import type { LedgerTransaction } from '../../ledger/ledger.ts';
import type { ReportedLine } from '../../ledger/bank/reported-line.ts';
import { formatAmount } from '../../platform/money.ts';
import type { createStatementReport } from '../statement-report.ts';
import type { Money } from './money.ts';
import { type Plans, referencesOf } from './plan-money.ts';

/** Books what statements list less than what was issued, or than the transactions of a sum come to, as a debit of its own: the bank has kept it as charges. One that is not so any more is undone. */
export async function bookKept(
  tx: LedgerTransaction,
  planned: Plans,
  { source, report, isNew }: { source: string; report: ReturnType<typeof createStatementReport>; isNew: (line: ReportedLine) => boolean },
): Promise<void> {
  // Most banks name no charges.
  if (!planned.plans.some(({ money }) => money.lines.some(({ charges, entry }) => charges !== null || entry.charges !== null))) return;
  const referenceOf = referencesOf(planned);
  const kept = planned.plans.flatMap(({ money }) => keptOf(money, referenceOf(money)));
  for (const { debit, problem, of } of await keepDebits(tx, kept, source))
    report.addUnexplained((of.lines.find(isNew) ?? of.best).place, debit, problem);
}

function keptOf(money: Money, reference: string | undefined): (KeptDebit & { of: Money })[] {
  const { best, lines, statements, kept: amount } = money;
  const [listed = best] = statements;
  const { account, currency, bookedOn } = listed;
  if (currency === null) return [];
  const booked = listed.amount === null ? 'less' : formatAmount(listed.amount);
  return [
    {
      of: money,
      names: [...new Set([...(reference === undefined ? [] : [reference]), ...lines.map((line) => line.reference)])],
      account,
      currency,
      bookedOn,
      amount,
      statements: statements.map(({ document }) => document.statements),
      problem: `the bank has kept it of ${reference ?? listed.reference}, of which it booked ${booked}`,
    },
  ];
}
