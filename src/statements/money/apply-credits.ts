import { factsOfReports } from '../../ledger/bank/bank-reports.ts';
import { withKeptPlans } from '../../ledger/bank/bank-files.ts';
import { clarifyCredits, recordCredits, type RecordedCredit } from '../../ledger/bank/credits.ts';
import type { NewCredit, RecordOptions } from '../../ledger/bank/match-credits.ts';
import { linkCredits, replaceCredits, markRepeated } from '../../ledger/bank/reported-credits.ts';
import { matchReturnedPayments } from '../../ledger/bank/returns/returned-payments.ts';
import { bookUnderStatements } from '../../ledger/bank/statements/bank-statements.ts';
import type { LedgerTransaction } from '../../ledger/ledger.ts';
import type { Money } from './money.ts';
import { listedBy, type MoneyPlan, nameMoney, type Plans, referencesOf } from './plan-money.ts';

/** Credits in one SQL statement: enough that round trips cost little, few enough that they are some megabytes. */
const atOnce = 500;

/** Records new credits, reads known ones again of which more is said now, and ends those that are other money. Returns what became of each that is recorded or read. */
export async function applyCredits(tx: LedgerTransaction, plans: Plans, options: RecordOptions): Promise<Map<Money, RecordedCredit>> {
  const { fresh, clear, changes } = plans;
  await replaceCredits(tx, changes.replace);
  await linkCredits(tx, changes.link);
  await nameMoney(tx, 'credits', fresh);
  const referenceOf = referencesOf(plans);
  const outcomes = new Map<Money, RecordedCredit>();
  async function record(all: readonly MoneyPlan[], recordAll: typeof recordCredits): Promise<void> {
    for (let start = 0; start < all.length; start += atOnce) {
      const slice = all.slice(start, start + atOnce);
      const facts = await factsOfReports<NewCredit>(
        tx,
        slice.map(({ money }) => money.best.id),
      );
      const credits = slice.map((plan) => creditOf(plan, facts.get(plan.money.best.id) as NewCredit, referenceOf));
      const arrived = await withKeptPlans(tx, () => recordAll(tx, credits, options));
      const recorded = await matchReturnedPayments(tx, credits, arrived);
      for (const [index, { money }] of slice.entries()) outcomes.set(money, recorded[index] as RecordedCredit);
    }
  }
  for (const [statements, listed] of Map.groupBy(fresh, listedBy))
    await bookUnderStatements(tx, statements, () => record(listed, recordCredits));
  await record(clear, clarifyCredits);
  const repeated = changes.repeat.map(({ reference, of }) => ({ reference, repeats: referenceOf(of) ?? reference }));
  await markRepeated(
    tx,
    repeated.filter(({ reference, repeats }) => repeats !== reference),
  );
  return outcomes;
}

/** A credit as it is recorded: what its best line says, and what was made of that. */
function creditOf({ money, made }: MoneyPlan, said: NewCredit, referenceOf: (money: Money) => string | undefined): NewCredit {
  const { amount, amountText, ...how } = made;
  const { amount: _, ...facts } = said;
  const mayRepeat = money.hold?.of && referenceOf(money.hold.of);
  return {
    ...facts,
    ...how,
    ...(amount !== null && { amount }),
    ...(amountText !== undefined && { facts: { ...said.facts, amountText } }),
    isAwaited: !money.isStated,
    ...(mayRepeat !== undefined && { mayRepeat }),
  };
}
