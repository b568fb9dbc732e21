import { factsOfReports } from '../ledger/bank/bank-reports.ts';
import { type AccountDebit, type NewDebit, recordDebits, replaceDebits } from '../ledger/bank/debits/bank-debits.ts';
import { debitsOfFiles, type NamedPayments, paymentsOfDebits } from '../ledger/bank/debits/payment-file-debits.ts';
import { repeatText } from '../ledger/bank/debits/repeated-debits.ts';
import { type DebitOutcome, settleBookedDebits } from '../ledger/bank/payments.ts';
import { bookUnderStatements } from '../ledger/bank/statements/bank-statements.ts';
import { endToEndIdOf } from '../ledger/end-to-end-id.ts';
import type { LedgerTransaction } from '../ledger/ledger.ts';
import type { ReportedLine, ReportPlace } from '../ledger/bank/reported-line.ts';
import { listedBy, type MoneyPlan, nameMoney, type Plans } from './money/plan-money.ts';
import type { createStatementReport } from './statement-report.ts';

interface Import {
  source: string;
  report: ReturnType<typeof createStatementReport>;
  /** Whether a line is one of the file. */
  isNew: (line: ReportedLine) => boolean;
}

/** A debit that takes a credit back, and where the file reports it. */
export interface ReportedReversal {
  place: ReportPlace;
  debit: AccountDebit;
  /** What is in doubt about the debit itself. */
  problem: string | undefined;
}

/** A debit to be recorded. */
interface PlannedDebit extends ReportedReversal {
  plan: MoneyPlan;
  hold: NewDebit['hold'];
}

/**
 * Records the debits that were decided: payments of ours are settled and booked, all others are booked as differences and wait for an operator. Those of which more is
 * known now are made anew. Returns those that take a credit back.
 */
export async function applyDebits(tx: LedgerTransaction, { fresh, clear, changes }: Plans, imported: Import): Promise<ReportedReversal[]> {
  const remade = clear.flatMap(({ money: { credit } }) => credit?.reference ?? []);
  const ended = [...changes.replace, ...changes.repeat].map(({ reference }) => reference);
  await replaceDebits(tx, [...new Set([...ended, ...remade])]);
  const recorded = [...clear, ...fresh];
  await nameMoney(tx, 'bank_debits', recorded);
  const planned = await plannedDebits(tx, recorded, imported);
  for (const [statements, listed] of Map.groupBy(planned, ({ plan }) => listedBy(plan)))
    await bookUnderStatements(tx, statements, () => recordNewDebits(tx, listed, imported));
  return planned.filter(({ debit }) => debit.takesBack !== undefined);
}

async function plannedDebits(tx: LedgerTransaction, plans: readonly MoneyPlan[], { isNew }: Import): Promise<PlannedDebit[]> {
  const facts = await factsOfReports<AccountDebit>(
    tx,
    plans.map(({ money }) => money.best.id),
  );
  return plans.map((plan) => {
    const { money, made } = plan;
    const known = facts.get(money.best.id) as AccountDebit;
    const debit = { ...known, reference: made.reference, ...(made.amount !== null && { amount: made.amount }) };
    const problem = [known.doubt, made.unmatched].filter((why) => why !== undefined).join('; ') || undefined;
    const hold = money.hold?.reason ?? (money.left === undefined ? undefined : 'details_differ');
    return { plan, debit, problem, hold, place: (money.lines.find(isNew) ?? money.best).place };
  });
}

async function recordNewDebits(tx: LedgerTransaction, all: readonly PlannedDebit[], { source, report }: Import): Promise<void> {
  // What takes a credit back may name a payment of ours, whose return it takes back.
  const mayBeOurs = all.flatMap(({ debit }) => (debit.takesBack === undefined ? [debit] : []));
  const named = await paymentsOfDebits(tx, mayBeOurs);
  const planned = await withTwiceBooked(tx, all, named);
  const clear = planned.flatMap(({ debit, problem }) => (problem === undefined && debit.takesBack === undefined ? [debit] : []));
  const outcomes = new Map((await settleBookedDebits(tx, clear)).map((outcome) => [outcome.debit, outcome]));
  const others = clear.filter((debit) => !outcomes.has(debit));
  const booked = [...outcomes.values()].flatMap(({ id, outcome }) => (outcome === 'conflict' ? [] : [id]));
  const files = new Map(debitsOfFiles(others, named, booked).map((ofFile) => [ofFile.debit, ofFile]));
  const ofFiles = [...files.values()].flatMap(({ debit, payments }) =>
    payments.map(({ id, amount }) => ({ ...debit, endToEndId: endToEndIdOf(id), amount })),
  );
  const settled = await settleBookedDebits(tx, ofFiles);
  report.addSettled([...outcomes.values(), ...settled].filter(({ outcome }) => outcome === 'settled').length);
  const recorded = planned.map(({ plan, place, debit, problem, hold }) => {
    const outcome = outcomes.get(debit);
    const doubt = problem ?? conflictOf(outcome);
    const isOurs = doubt === undefined && (outcome !== undefined || files.has(debit));
    // What takes a credit back is looked at after the credits of the report, and reported then.
    if (!isOurs && debit.takesBack === undefined && (plan.kind === 'new' || doubt !== undefined))
      report.addUnexplained(place, debit, doubt ?? 'it is none of our payments');
    return {
      debit,
      problem: doubt,
      hold,
      isOurs,
      payment: isOurs ? outcome?.id : undefined,
      paymentFile: files.get(debit)?.file ?? named.get(debit)?.file,
    };
  });
  await recordDebits(tx, recorded, source);
}

/** The debits, with a doubt about each whose payments other debits have booked. */
async function withTwiceBooked(
  tx: LedgerTransaction,
  planned: readonly PlannedDebit[],
  named: ReadonlyMap<AccountDebit, NamedPayments>,
): Promise<PlannedDebit[]> {
  const booked = new Set<string | undefined>();
  const marked: PlannedDebit[] = [];
  for (const one of planned) {
    const payments = one.problem === undefined ? named.get(one.debit) : undefined;
    const payment = payments?.file === undefined ? payments?.payments[0]?.id : undefined;
    const isTwice = payments?.payments.every(({ id, isBooked }) => isBooked || (id === payment && booked.has(id))) === true;
    if (payment !== undefined) booked.add(payment);
    marked.push(payments !== undefined && isTwice ? { ...one, problem: await bookedBefore(tx, one.debit, payments) } : one);
  }
  return marked;
}

async function bookedBefore(tx: LedgerTransaction, debit: AccountDebit, { file, payments }: NamedPayments): Promise<string> {
  const [what, came] = file === undefined ? ['this payment', 'it'] : ['the payments of this file', 'they'];
  const by = payments.flatMap(({ cameBackBy }) => cameBackBy ?? []).join(',');
  const since = `, and ${came} came back by ${by}: if that undid this second booking, explain it by \`--as reversal-of:${by}\``;
  return `the bank has booked ${what} before${by === '' ? await repeatText(tx, debit, payments) : since}`;
}

function conflictOf(outcome: DebitOutcome | undefined): string | undefined {
  return outcome?.outcome === 'conflict' ? `${outcome.problem} (payment ${outcome.id})` : undefined;
}
