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
  const known = planned.plans.flatMap(({ money }) => money.lines.flatMap(({ credit }) => credit?.reference ?? []));
  const credits = [...new Set([...known, ...kept.map(({ credit }) => credit)])];
  for (const { debit, problem, money } of await keepDebits(tx, { credits, kept, source }))
    report.addUnexplained((money.lines.find(isNew) ?? money.best).place, debit, problem);
}

function keptOf(money: Money, credit: string | undefined): (KeptDebit & { money: Money })[] {
  const { best, statements, kept: amount } = money;
  const [listed = best] = statements;
  const { account, currency, bookedOn } = listed;
  if (credit === undefined || currency === null || amount <= 0n) return [];
  const booked = listed.amount === null ? 'less' : `${formatAmount(listed.amount)} ${currency.toUpperCase()}`;
  const problem = `the bank has booked ${booked} where ${credit} counts, and kept this as charges`;
  return [
    { credit, money, account, currency, bookedOn, amount, statements: statements.map(({ document }) => document.statements), problem },
  ];
}
