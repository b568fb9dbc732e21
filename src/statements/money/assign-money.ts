import { type AwaitedCredit, recordAwaited } from '../../ledger/bank/reported-credits.ts';
import { assignReports, debitsOfEntries, type ReportedMoney } from '../../ledger/bank/bank-reports.ts';
import { type ReportedLine, statementKind } from '../../ledger/bank/reported-line.ts';
import { listBookings, unlistBookings } from '../../ledger/bank/statements/bank-statements.ts';
import type { LedgerTransaction } from '../../ledger/ledger.ts';
import { paymentWithin } from './explained-payments.ts';
import type { Money } from './money.ts';
import { lineOfCredit, listedBy, type MoneyPlan, type Plans, referencesOf } from './plan-money.ts';

/** Records which money reports are, which statements list it, and which credits are awaited in one. Returns those of which that has changed. */
export async function assignMoney(tx: LedgerTransaction, planned: Plans): Promise<AwaitedCredit[]> {
  const { plans } = planned;
  const referenceOf = referencesOf(planned);
  await assignReports(
    tx,
    plans.flatMap((plan) => assigned(plan, referenceOf)),
  );
  await listMoney(tx, plans, referenceOf);
  const awaited = changedAwaited(plans);
  await recordAwaited(tx, awaited);
  return awaited;
}

/** The line that a credit stays with: that of which it was made, unless it is made or read of another now. */
export function firstOf({ money, kind }: MoneyPlan): ReportedLine | undefined {
  if (kind === 'part') return undefined;
  return kind === 'known' ? lineOfCredit(money) : money.best;
}

/** Reports by the credit that they are; one of which a surplus credit was made stays with that, which may be other money yet. */
function assigned(plan: MoneyPlan, referenceOf: (money: Money) => string | undefined): ReportedMoney[] {
  const { lines, within, surplus, best } = plan.money;
  const counting = plan.kind === 'part' && within === undefined ? undefined : referenceOf(within ?? plan.money);
  const isOfSurplus = ({ credit }: ReportedLine) => credit?.isFirst === true && surplus.includes(credit);
  const own = firstOf(plan);
  const first = own !== undefined && isOfSurplus(own) ? (lines.find((line) => !isOfSurplus(line)) ?? own) : own;
  return lines.map((line) => {
    const isSurplus = line !== first && isOfSurplus(line);
    const reference = (isSurplus ? line.credit?.reference : counting) ?? null;
    const [credit, debit] = best.isDebit ? [null, reference] : [reference, null];
    return { report: line.id, credit, debit, isFirst: isSurplus || line === first };
  });
}

/** The known credits that are listed by a statement now, or are awaited after all. */
function changedAwaited(plans: readonly MoneyPlan[]): AwaitedCredit[] {
  return plans.flatMap(({ money: { credit, surplus, isStated } }) =>
    [...(credit === undefined ? [] : [{ credit, isAwaited: !isStated }]), ...surplus.map((issued) => ({ credit: issued, isAwaited: true }))]
      .filter(({ credit: known, isAwaited }) => known.isAwaited === !isAwaited)
      .map(({ credit: { reference }, isAwaited }) => ({ reference, isAwaited })),
  );
}

/** What is booked of money is in the statements that list it, and no more in another one from which its credit was taken. */
async function listMoney(
  tx: LedgerTransaction,
  plans: readonly MoneyPlan[],
  referenceOf: (money: Money) => string | undefined,
): Promise<void> {
  const netted = plans.flatMap(({ money: { lines, best } }) => (best.isDebit ? [] : lines.filter(({ entry }) => !entry.isComplete)));
  const debits = await debitsOfEntries(tx, netted);
  /** What an entry comes to less than its credits: a statement that lists as much as the entry lists that in it. */
  const debitsIn = ({ lines }: Money, listed: ReportedLine): string[] =>
    lines.flatMap((line) => (line.entry.total === listed.entry.total ? (debits.get(line.id) ?? []) : []));
  const listed = plans.flatMap((plan) => {
    const { money, kind } = plan;
    const payment = paymentWithin(money);
    const counting = payment === undefined ? (money.within ?? money) : money;
    const reference = payment ?? referenceOf(counting);
    const isListed = money.within?.lines.some(({ document }) => document.kind === statementKind) === true;
    if (reference === undefined || (payment !== undefined && isListed)) return [];
    const withDebits = counting.statements.map((line) => ({ document: line.document, others: debitsIn(money, line) }));
    // A new credit was booked under the only document that lists it.
    if (kind === 'new' && !money.best.isDebit && withDebits.every(({ others }) => others.length === 0) && listedBy(plan) !== '') return [];
    return withDebits.map(({ document, others }) => ({ document, reference, references: [reference, ...others] }));
  });
  const byReference = [...Map.groupBy(listed, ({ reference }) => reference)];
  await unlistBookings(
    tx,
    byReference.map(([reference, of]) => ({ reference, listedBy: [...new Set(of.flatMap(({ document }) => document.statements))] })),
  );
  for (const [{ statements }, ofDocument] of Map.groupBy(listed, ({ document }) => document))
    await listBookings(tx, statements, [...new Set(ofDocument.flatMap(({ references }) => references))]);
}
