import { createHash } from 'node:crypto';
import { explainDebit } from '../../../src/ledger/bank/debits/explain-debit.ts';
import { repeatCredit } from '../../../src/ledger/bank/unmatched/repeat-credit.ts';
import { matchAgain, matchCredit } from '../../../src/ledger/bank/unmatched/match-unmatched.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { loadSettings } from '../../../src/platform/settings.ts';
import { masterIban, statementXml } from '../../bank/iso20022/camt/statement-xml.ts';
import { creditOptions, type TestRail } from '../bank-rail.ts';
import { nobody, type TruePayment, type TrueReversal } from './bank.ts';
import { bookDifferences } from './book.ts';
import { beforeCharges, bookedCents, isRest } from './charges.ts';
import { startSeed } from './seed.ts';

/** What a run has shown: nothing in `violations` when all is well. */
export interface SeedResult {
  violations: string[];
  trace: string[];
  /** Of all that was decided, after each file and in the end: the same in every run of a seed. */
  digest: string;
}

const settings = loadSettings({ DATABASE_URL: 'postgres://unused', BANK_ACCOUNT: masterIban });

/**
 * Imports all files of a random bank. At no time more is issued than truly arrived, and in the end every payment is a credit; once an operator, who
 * knows the truth, has decided what is held and explained the debits that wait, each is there exactly once unless the bank took it back, and the book
 * agrees.
 */
export async function runSeed(seed: number, rail: TestRail): Promise<SeedResult> {
  const { payments, charges, reversals, files, style } = await startSeed(seed, rail);
  const violations: string[] = [];
  const decisions = createHash('sha256');
  const trace = [JSON.stringify(style), ...payments.map((payment) => JSON.stringify(payment))];
  for (const file of files) {
    trace.push(statementXml(file));
    const refused = await rail.import(file, { settings }).then(
      () => undefined,
      (error: Error) => `${file.id} was not imported: ${error.message}`,
    );
    if (refused !== undefined) return { violations: [refused], trace, digest: decisions.digest('hex') };
    const now = await creditsOf(rail);
    decisions.update(JSON.stringify([written(now), await reportsOf(rail)]));
    for (const [key, count] of countBy(now.filter((credit) => credit.state === 'matched' && !isRestOf(credit)))) {
      const arrived = payments.filter((payment) => keyOf(payment) === key).length;
      if (count > arrived) violations.push(`${key} is issued ${count} times and arrived ${arrived} times, after ${file.id}`);
    }
  }
  try {
    await decideHeld(rail, payments);
    await explainDebits(rail, reversals, payments);
  } catch (error) {
    violations.push(`the operator was refused: ${(error as Error).message}`);
  }
  const credits = await creditsOf(rail);
  const takenBack = new Set(reversals.flatMap((reversal) => reversal.payments));
  const left = payments.filter((payment) => !takenBack.has(payment));
  trace.push(...written(credits));
  const booked = bookedCents({ payments: left, charge: charges }, style);
  violations.push(...differences(left, credits), ...(await bookDifferences(rail, booked, style)));
  decisions.update(JSON.stringify([written(credits), violations]));
  return { violations, trace, digest: decisions.digest('hex') };
}

type Credit = Awaited<ReturnType<typeof creditsOf>>[number];

function creditsOf({ ledger }: TestRail) {
  return ledger
    .selectFrom('credits')
    .select(['reference', 'state', 'iban', 'amount', 'remittance', 'railReason', 'repeats', 'message', 'reason'])
    .orderBy('receivedAt')
    .orderBy('reference')
    .execute();
}

function written(credits: readonly Credit[]): string[] {
  return credits.map((credit) => JSON.stringify({ ...credit, amount: credit.amount?.toString() }));
}

/** Which credit or debit each line of the files is, and its order. */
async function reportsOf({ ledger }: TestRail): Promise<string[]> {
  const rows = await ledger
    .selectFrom('bankReports')
    .leftJoin('reportMoney', 'report', 'bankReports.id')
    .leftJoin('credits', 'credits.reference', 'reportMoney.credit')
    .leftJoin('bankDebits', 'bankDebits.reference', 'reportMoney.debit')
    .orderBy('bankReports.id')
    .select(['bankReports.id', 'credit', 'debit', 'isFirst', 'credits.orderId', 'bankDebits.state'])
    .execute();
  return rows.map((row) => JSON.stringify({ ...row, id: row.id.toString() }));
}

/** Who gets how much, before charges or after: payments that agree in this are one as good as the other. */
function keyOf({ iban, cents }: Pick<TruePayment, 'iban' | 'cents'>): string {
  return `${beforeCharges(cents)} to ${iban === nobody ? 'nobody' : 'a customer'}`;
}

function creditKey({ iban, amount }: Credit): string {
  return keyOf({ iban: iban ?? '', cents: Number(amount) });
}

function countBy(credits: readonly Credit[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const credit of credits) counts.set(creditKey(credit), (counts.get(creditKey(credit)) ?? 0) + 1);
  return counts;
}

/** Decides as an operator who has asked the bank: of a payment's credits those that are too many end, and the others become orders. */
async function decideHeld(rail: TestRail, payments: readonly TruePayment[]): Promise<void> {
  // A statement may not name the customer whose rest it lists.
  for (const { reference, state, iban } of (await creditsOf(rail)).filter(isRestOf))
    if (state === 'unmatched' && iban !== nobody)
      await matchAgain(
        rail.ledger,
        { reference, iban: rail.customer.iban, reason: 'the bank says so' },
        { ...creditOptions, source: 'operator' },
      );
  for (const key of new Set(payments.map(keyOf))) {
    const recorded = (await creditsOf(rail)).filter((credit) => !isRestOf(credit) && trueKey(credit, payments) === key);
    const takenBack = recorded.filter(({ state }) => state === 'reversed');
    const arrived = payments.filter((payment) => keyOf(payment) === key).length - takenBack.length;
    const credits = recorded.filter(isOpen);
    const [counting, tooMany] = split(
      credits.toSorted((one, other) => rankOf(one) - rankOf(other)),
      arrived,
    );
    for (const { reference } of tooMany) await repeatCredit(rail.ledger, reference, [[...counting, ...takenBack][0]?.reference ?? '']);
    for (const credit of counting.filter(({ state, iban }) => state === 'unmatched' && iban !== nobody))
      await matchCredit(rail.ledger, credit.reference, { ...creditOptions, source: 'operator' }).catch(() => {});
  }
}

/** Explains as that operator the debits of which the bank does not prove which credits they take back. */
async function explainDebits(rail: TestRail, reversals: readonly TrueReversal[], payments: readonly TruePayment[]): Promise<void> {
  for (const { reference: number, payments: takenBack } of reversals) {
    // The number may be that of another debit of another day.
    const debit = await rail.ledger
      .selectFrom('bankDebits')
      .select('reference')
      .where('state', '=', 'unexplained')
      .where('amount', '=', minorUnits(sumOf(takenBack)))
      .where((eb) => eb.or([eb('reference', '=', `${masterIban}:${number}`), eb('reference', 'like', `${masterIban}:${number}~%`)]))
      .executeTakeFirst();
    if (debit === undefined) continue;
    const open = (await creditsOf(rail)).filter(isOpen);
    const credits = takenBack.flatMap((payment) => {
      const own = open.findIndex(({ remittance }) => remittance === payment.id);
      const alike = open.findIndex((credit) => trueKey(credit, payments) === keyOf(payment));
      return open.splice(own < 0 ? alike : own, 1).map((credit) => credit.reference);
    });
    await explainDebit(rail.ledger, debit.reference, {
      explanation: { as: 'reversal-of', credits },
      reason: 'the bank says so',
      operator: 'jane',
    });
  }
}

/** Orders first, then what can become one, then what names no creditor. */
function rankOf({ state, iban }: Credit): number {
  if (state === 'matched') return 0;
  return iban === masterIban ? 2 : 1;
}

function split<T>(values: readonly T[], length: number): [T[], T[]] {
  return [values.slice(0, length), values.slice(length)];
}

function isRestOf({ amount }: Credit): boolean {
  return isRest(amount);
}

function isOpen({ state }: Credit): boolean {
  return state === 'matched' || state === 'unmatched';
}

/** Of the payment that the credit's remittance text names: its report may name no creditor. */
function trueKey(credit: Credit, payments: readonly TruePayment[]): string {
  const payment = payments.find(({ id }) => id === credit.remittance);
  return payment === undefined ? creditKey(credit) : keyOf(payment);
}

function differences(payments: readonly TruePayment[], credits: readonly Credit[]): string[] {
  const open = credits.filter((credit) => isOpen(credit) && !isRestOf(credit));
  const counts = countBy(open.filter((credit) => credit.state === 'matched' || credit.iban === nobody));
  const keys = new Set([...payments.map(keyOf), ...open.map(creditKey)]);
  const wrong = [...keys].flatMap((key) => {
    const arrived = payments.filter((payment) => keyOf(payment) === key).length;
    const recorded = counts.get(key) ?? 0;
    return recorded === arrived ? [] : [`${key} arrived ${arrived} times and is recorded ${recorded} times`];
  });
  const left = open.filter((credit) => credit.state === 'unmatched' && credit.iban !== nobody);
  return [...wrong, ...left.map(({ reference, reason }) => `${reference} is left: ${reason}`)];
}

function sumOf(payments: readonly TruePayment[]): bigint {
  return BigInt(payments.reduce((all, { cents }) => all + cents, 0));
}
