import { sql } from 'kysely';
import { accounts, bankAccountIn } from '../book/accounts.ts';
import { bookEntries } from '../book/entries.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount, type MinorUnits, minorUnits } from '../../platform/money.ts';
import { inputRows } from '../input-rows.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { lockImports } from './bank-files.ts';
import { changedCredit } from './reported-credits.ts';
import { listWith } from './statements/bank-statements.ts';
import { findWaitingCredit, type WaitingCredit } from './unmatched/unmatched-credits.ts';

/** An unmatched credit that turned out to be another report of a credit: its money counts there. */
export interface RepeatedCredit {
  reference: string;
  repeats: string;
}

/**
 * Ends unmatched credits as reports of other credits: `unmatched` -> `repeated`. What repeats them repeats the others from now on. Their reports are the money of
 * the others, for good where an operator says so (`pinned`). Throws `import_busy` when an operator has matched or returned one of them in the meantime.
 */
export async function markRepeated(tx: LedgerTransaction, repeated: readonly RepeatedCredit[], by?: 'pinned'): Promise<void> {
  if (repeated.length === 0) return;
  const { rows } = await sql<{ reference: string }>`
    with input as (select * from ${inputRows(repeated, 'reference text, repeats text')} g), moved as (
      update credits c set repeats = case when c.reference = g.repeats then null else g.repeats end
      from input g where c.repeats = g.reference
    ), reported as (
      update report_money r set credit = g.repeats, is_first = false, is_pinned = r.is_pinned or ${by === 'pinned'} from input g where r.credit = g.reference
    ), parts as (
      -- What was taken back of one report is taken back of the money.
      update reversals v set counts_with = g.repeats from input g where v.credit = g.reference or v.counts_with = g.reference
    ), ended as (
      update credits c set state = 'repeated', repeats = g.repeats, reason = 'it is the money of ' || g.repeats
      from input g where c.reference = g.reference and c.state = 'unmatched'
      returning c.reference, c.bank_account, c.booked_on, c.currency, c.amount
    ), ${bookEntries(sql`
      select 'credit-repeated' as kind, c.reference as source, c.booked_on, ${accounts.suspense} as debit,
        ${bankAccountIn('c.bank_account')} as credit, c.currency, c.amount
      from ended c where c.currency is not null and c.amount is not null`)}
    select reference from ended
  `.execute(tx);
  if (rows.length < repeated.length) throw changedCredit(repeated.map(({ reference }) => reference));
}

/** An unmatched credit that an operator found to be money of other credits. */
export interface RepeatOutcome {
  reference: string;
  /** The credits that count. */
  of: string[];
}

/**
 * Ends an unmatched credit as another report of `of`, or of the credit that it is suspected to repeat: nothing is issued or returned for it, and
 * the book undoes it. A part that was taken back of it counts for the only other. Waits until no import runs. Throws `not_found`,
 * `credit_not_unmatched`, `bad_input`.
 */
export async function repeatCredit(ledger: Ledger, reference: string, of: readonly string[] = []): Promise<RepeatOutcome> {
  return inTransaction(ledger, async (tx) => {
    // An import must not pair a report with a credit that ends meanwhile.
    await lockImports(tx);
    const credit = await findWaitingCredit(tx, reference, 'lock');
    const counting = await creditsRepeated(tx, credit, of);
    await markRepeated(tx, [{ reference, repeats: counting[0]?.reference ?? '' }], 'pinned');
    const others = counting.map((other) => other.reference);
    if (!credit.isAwaited) await listOthers(tx, reference, others);
    return { reference, of: others };
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
  const counting = await creditsRepeated(ledger, await findWaitingCredit(ledger, reference), of);
  return counting.map((other) => other.reference);
}

async function creditsRepeated(ledger: Ledger, credit: WaitingCredit, of: readonly string[]) {
  const { reference, repeats, amount } = credit;
  const named = of.length > 0 ? of : repeats === null ? [] : [repeats];
  if (named.length === 0)
    throw new StopError({
      code: 'bad_input',
      message: `${reference} is not suspected to repeat a credit: name those whose money it is with --of`,
    });
  const counting = await countingCredits(ledger, reference, named);
  const reversed = counting.find((other) => other.state === 'reversed' && other.reference !== repeats);
  if (reversed !== undefined) throw await takenBackBefore(ledger, reversed.reference);
  if (amount !== null) checkSum(credit, counting);
  if (counting.length > 1) await assertWhole(ledger, reference);
  return counting;
}

/** The credits that count of those named, each once; `named` may be further reports of them. */
async function countingCredits(ledger: Ledger, reference: string, named: readonly string[]) {
  const rows = await ledger
    .selectFrom('credits as n')
    .innerJoin('credits as c', (join) =>
      join.on(sql<boolean>`c.reference = case n.state when 'repeated' then n.repeats else n.reference end`),
    )
    .where('n.reference', 'in', [...named])
    .where('c.state', 'in', ['matched', 'unmatched', 'returned', 'settled', 'reversed'])
    .where('c.reference', '!=', reference)
    .select(['n.reference as named', 'c.reference', 'c.amount', 'c.currency', 'c.state'])
    .orderBy('c.reference')
    .execute();
  const missing = named.find((name) => rows.every((row) => row.named !== name));
  if (missing !== undefined) throw unknownCredit(missing);
  return [...new Map(rows.map((row) => [row.reference, row])).values()];
}

/**
 * Nobody gets the money of a credit that was taken back, nor of what ends as its repeat: where no report suspects that it is one, the debit may as well be of
 * other money, and is to be explained anew.
 */
async function takenBackBefore(ledger: Ledger, reference: string): Promise<StopError> {
  const reversal = await ledger.selectFrom('reversals').where('credit', '=', reference).select('debit').limit(1).executeTakeFirst();
  const debit = reversal?.debit ?? '';
  const message = `${reference} was taken back by the debit ${debit}: if it is the same money, undo that by \`mintrail bank claims undo ${debit}\`, and explain the debit by it again afterwards`;
  return new StopError({ code: 'bad_input', message });
}

/** What was taken back of a credit cannot be divided among several. */
async function assertWhole(ledger: Ledger, reference: string): Promise<void> {
  const part = await ledger.selectFrom('reversals').where('credit', '=', reference).select('debit').limit(1).executeTakeFirst();
  if (part === undefined) return;
  const message = `A part of ${reference} was taken back by the debit ${part.debit}: undo that by \`mintrail bank claims undo ${part.debit}\`, and explain the debit by one of the others afterwards`;
  throw new StopError({ code: 'bad_input', message });
}

interface Sum {
  reference: string;
  amount: MinorUnits | null;
  currency: string | null;
}

/** A slip of the pen must not make money disappear. */
function checkSum({ reference, amount, currency }: Sum, others: readonly Sum[]): void {
  const sum = others.reduce((all, other) => all + (other.amount ?? 0n), 0n);
  if (sum === amount && others.every((other) => other.currency === currency)) return;
  const text = (value: bigint | null) => `${formatAmount(minorUnits(value ?? 0n))} ${currency?.toUpperCase() ?? ''}`.trim();
  throw new StopError({
    code: 'bad_input',
    message: `${reference} is over ${text(amount)}, and ${others.map((other) => other.reference).join(', ')} over ${text(sum)}: name all credits whose money it is, and no other`,
  });
}

function unknownCredit(reference: string): StopError {
  return new StopError({
    code: 'not_found',
    message: `There is no other credit ${reference} whose money is recorded; \`mintrail bank unmatched\` lists those that wait`,
  });
}
