import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import { formatAmount, minorUnits } from '../../../platform/money.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { lockImports } from '../bank-files.ts';
import { bookCharges, bookChargesAnew } from '../booked-charges.ts';
import { type CreditStanding, findStandings } from '../credit-standing.ts';
import { markRepeated } from '../reported-credits.ts';
import { listWith } from '../statements/bank-statements.ts';
import { findWaitingCredit, type WaitingCredit } from './unmatched-credits.ts';

/**
 * Ends an unmatched credit as another report of `of`, or of the credit that it is suspected to repeat, and returns those that count: nothing is issued or returned for it, and
 * the book undoes it. A part that was taken back of it counts for the only other. Waits until no import runs. Throws `not_found`,
 * `credit_not_unmatched`, `bad_input`.
 */
export async function repeatCredit(ledger: Ledger, reference: string, of: readonly string[] = []) {
  return inTransaction(ledger, async (tx) => {
    // An import must not pair a report with a credit that ends meanwhile.
    await lockImports(tx);
    const { isAwaited, booked } = await findWaitingCredit(tx, reference, 'lock');
    const counting = await planRepeat(tx, reference, of);
    await markRepeated(tx, [{ reference, repeats: counting[0] ?? '' }], 'pinned');
    if (!isAwaited) await listOthers(tx, reference, counting);
    // What was kept of it, or booked more, is of the others.
    await bookCharges(tx, [{ credit: reference, kept: minorUnits(0n), bookedOn: null, statements: [] }], 'operator');
    if (counting.length === 1) for (const credit of counting) await bookChargesAnew(tx, credit, booked, 'operator');
    return { reference, of: counting };
  });
}

/** The statement that lists a repeat lists the credits whose money it is. */
async function listOthers(tx: LedgerTransaction, reference: string, others: readonly string[]): Promise<void> {
  await listWith(tx, reference, others);
  await sql`
    update credits set is_awaited = false, stated_as = ${reference} where reference = any(${others}::text[]) and is_awaited
  `.execute(tx);
}

/** A repeat is a credit of its own after all: its statement does not list the others. */
export async function unlistOthers(tx: LedgerTransaction, reference: string): Promise<void> {
  await sql`
    with others as (update credits set is_awaited = true, stated_as = null where stated_as = ${reference} returning reference)
    update bank_bookings b set statement = null from others o where b.source = o.reference
  `.execute(tx);
}

/** The credits that an unmatched credit would repeat, by reference. Throws `not_found` and `bad_input`. */
export async function planRepeat(ledger: Ledger, reference: string, of: readonly string[]): Promise<string[]> {
  const credit = await findWaitingCredit(ledger, reference);
  const { repeats, amount, debits } = credit;
  const named = of.length > 0 ? of : repeats === null ? [] : [repeats];
  if (named.length === 0) throw wrong(`${reference} is not suspected to repeat a credit: name those whose money it is with --of`);
  const counting = await countingCredits(ledger, reference, named);
  // Nobody gets the money of a credit that was taken back, nor of what ends as its repeat: where no report suspects that, the debit may as well be of other money.
  const reversed = counting.find((other) => other.state === 'reversed' && other.reference !== repeats);
  if (reversed !== undefined) {
    const [debit = ''] = reversed.debits;
    throw wrong(
      `${reversed.reference} was taken back by the debit ${debit}: if it is the same money, undo that by \`mintrail bank claims undo ${debit}\`, and explain the debit by it again afterwards`,
    );
  }
  if (amount !== null) checkSum(credit, counting, await chargesOf(ledger, reference, counting));
  // What was taken back of a credit cannot be divided among several.
  const [debit] = debits;
  if (counting.length === 1 || debit === undefined) return counting.map((other) => other.reference);
  throw wrong(
    `A part of ${reference} was taken back by the debit ${debit}: undo that by \`mintrail bank claims undo ${debit}\`, and explain the debit by one of the others afterwards`,
  );
}

/** The credits that count of those named, each once; `named` may be further reports of them. */
async function countingCredits(ledger: Ledger, reference: string, named: readonly string[]): Promise<CreditStanding[]> {
  const known = await findStandings(ledger, named);
  const references = known.map(({ counts }) => counts);
  const counting = await findStandings(ledger, references);
  const others = counting.filter((other) => !['replaced', 'repeated'].includes(other.state) && other.reference !== reference);
  const isOther = (name: string) =>
    known.some((credit) => credit.reference === name && others.some((other) => other.reference === credit.counts));
  const missing = named.find((name) => !isOther(name));
  if (missing === undefined) return others;
  const message = `There is no other credit ${missing} whose money is recorded; \`mintrail bank unmatched\` lists those that wait`;
  throw new StopError({ code: 'not_found', message });
}

/** The charges that reports of a credit, or of the only other that it repeats, name: it may be over the amount before or after them. */
async function chargesOf(ledger: Ledger, reference: string, others: readonly CreditStanding[]): Promise<bigint[]> {
  if (others.length > 1) return [];
  const credits = [reference, ...others.map((other) => other.reference)];
  const { rows } = await sql<{ charges: bigint }>`
    select distinct r.charges from report_money m join bank_reports r on r.id = m.report where m.credit = any(${credits}::text[]) and r.charges is not null
  `.execute(ledger);
  return rows.map(({ charges }) => charges);
}

/** A slip of the pen must not make money disappear. */
function checkSum({ reference, amount, currency }: WaitingCredit, others: readonly CreditStanding[], charges: readonly bigint[]): void {
  const sum = others.reduce((all, other) => all + (other.amount ?? 0n), 0n);
  const isSame = [0n, ...charges].some((kept) => amount === sum + kept || amount === sum - kept);
  if (isSame && others.every((other) => other.currency === currency)) return;
  const text = (value: bigint | null) => `${formatAmount(minorUnits(value ?? 0n))} ${currency?.toUpperCase() ?? ''}`.trim();
  throw wrong(
    `${reference} is over ${text(amount)}, and ${others.map((other) => other.reference).join(', ')} over ${text(sum)}: name all credits whose money it is, and no other`,
  );
}

function wrong(message: string): StopError {
  return new StopError({ code: 'bad_input', message });
}
