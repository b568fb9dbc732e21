import { sql } from 'kysely';
import { accounts, bankAccountIn } from '../book/accounts.ts';
import { bookEntries } from '../book/entries.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount, minorUnits, type MinorUnits } from '../../platform/money.ts';
import { inputRows } from '../input-rows.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { lockImports } from './bank-files.ts';
import { type CreditStanding, creditsChanged, findStandings } from './credit-standing.ts';
import { listWith } from './statements/bank-statements.ts';
import { findWaitingCredit, type WaitingCredit } from './unmatched/unmatched-credits.ts';

/** An unmatched credit that turned out to be another report of a credit: its money counts there. */
interface RepeatedCredit {
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
  if (rows.length < repeated.length) throw creditsChanged(repeated.map(({ reference }) => reference));
}

/**
 * Ends an unmatched credit as another report of `of`, or of the credit that it is suspected to repeat, and returns those that count: nothing is issued or returned for it, and
 * the book undoes it. A part that was taken back of it counts for the only other. Waits until no import runs. Throws `not_found`,
 * `credit_not_unmatched`, `bad_input`.
 */
export async function repeatCredit(ledger: Ledger, reference: string, of: readonly string[] = []) {
  return inTransaction(ledger, async (tx) => {
    // An import must not pair a report with a credit that ends meanwhile.
    await lockImports(tx);
    const { isAwaited } = await findWaitingCredit(tx, reference, 'lock');
    const counting = await planRepeat(tx, reference, of);
    await markRepeated(tx, [{ reference, repeats: counting[0] ?? '' }], 'pinned');
    if (!isAwaited) await listOthers(tx, reference, counting);
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
  if (amount !== null) checkSum(credit, counting);
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

/** A slip of the pen must not make money disappear. */
function checkSum({ reference, amount, currency }: WaitingCredit, others: readonly CreditStanding[]): void {
  const sum = others.reduce((all, other) => all + (other.amount ?? 0n), 0n);
  if (sum === amount && others.every((other) => other.currency === currency)) return;
  const text = (value: bigint | null) => `${formatAmount(minorUnits(value ?? 0n))} ${currency?.toUpperCase() ?? ''}`.trim();
  throw wrong(
    `${reference} is over ${text(amount)}, and ${others.map((other) => other.reference).join(', ')} over ${text(sum)}: name all credits whose money it is, and no other`,
  );
}

function wrong(message: string): StopError {
  return new StopError({ code: 'bad_input', message });
}

/** What remains of an unmatched credit after a more detailed report of the same money: `null` when nothing remains. */
export interface ReplacedCredit {
  reference: string;
  remaining: MinorUnits | null;
}

/** A credit and the entry that it turned out to be part of. */
export interface LinkedCredit {
  reference: string;
  entryReference: string;
  entryAmount: MinorUnits | null;
}

/**
 * Reduces unmatched credits by the transactions that will be recorded instead of them. One of which nothing remains becomes `replaced`. Throws `import_busy` when an
 * operator has matched or returned one of them in the meantime.
 */
export async function replaceCredits(tx: LedgerTransaction, replaced: readonly ReplacedCredit[]): Promise<void> {
  if (replaced.length === 0) return;
  const { rows } = await sql<{ reference: string }>`
    with reduced as (
      update credits c set state = case when g.remaining is null then 'replaced' else c.state end, amount = coalesce(g.remaining, c.amount)
      from ${inputRows(replaced, 'reference text, remaining bigint')} g where c.reference = g.reference and c.state = 'unmatched'
      returning c.*, old.amount as before, coalesce(g.remaining, 0) as remaining
    ), parts as (
      -- What was taken back of it is taken back of the money that replaces it.
      update reversals v set counts_with = coalesce(c.entry_reference, c.reference) from reduced c where v.credit = c.reference
    ), ${bookEntries(sql`
      select 'credit-replaced' as kind, c.reference || '#left-' || c.remaining as source, c.booked_on,
        ${accounts.suspense} as debit, ${bankAccountIn('c.bank_account')} as credit, c.currency, c.before - c.remaining as amount
      from reduced c where c.currency is not null and c.before > c.remaining`)}
    select reference from reduced
  `.execute(tx);
  if (rows.length < replaced.length) throw creditsChanged(replaced.map(({ reference }) => reference));
}

/** Money that may share a reference of the bank, at most: more is an error. */
const mostOfReference = 1_000;

/**
 * References under which new credits or debits can be recorded, in their order: that of the bank, or with its day and a number behind it where other money has it already. A
 * bank may count anew each day, or use a number twice.
 */
export async function unusedReferences(
  tx: LedgerTransaction,
  table: 'credits' | 'bank_debits',
  money: readonly DayReference[],
): Promise<string[]> {
  const used = await usedReferences(tx, table, money);
  const chosen: string[] = [];
  for (const { reference, bookedOn } of money) {
    let free = reference;
    for (let number = 1; used.has(free); number += 1) {
      if (number > mostOfReference) throw new Error(`more than ${mostOfReference} ${table} have the reference ${reference}`);
      free = number === 1 ? `${reference}~${bookedOn ?? ''}` : `${reference}~${bookedOn ?? ''}~${number}`;
      if (!used.has(free) && (await usedReferences(tx, table, [{ reference: free, bookedOn }])).size > 0) used.add(free);
    }
    used.add(free);
    chosen.push(free);
  }
  return chosen;
}

/** A reference of the bank, on a day. */
interface DayReference {
  reference: string;
  bookedOn: string | null;
}

async function usedReferences(
  tx: LedgerTransaction,
  table: 'credits' | 'bank_debits',
  money: readonly DayReference[],
): Promise<Set<string>> {
  if (money.length === 0) return new Set();
  const references = money.map(({ reference }) => reference);
  const { rows } = await sql<{ reference: string }>`
    select reference from ${sql.table(table)} where reference = any(${references}::text[])
  `.execute(tx);
  return new Set(rows.map(({ reference }) => reference));
}

/** Records the entries that credits are part of, so that a later report of an entry's sum recognises them. */
export async function linkCredits(tx: LedgerTransaction, linked: readonly LinkedCredit[]): Promise<void> {
  if (linked.length === 0) return;
  await sql`
    update credits c set entry_reference = g.entry_reference, entry_amount = g.entry_amount
    from ${inputRows(linked, 'reference text, entry_reference text, entry_amount numeric')} g where c.reference = g.reference
  `.execute(tx);
}

/** Whether a credit is awaited in a statement, because only notifications report it. */
export interface AwaitedCredit {
  reference: string;
  isAwaited: boolean;
}

/** Records which known credits are awaited now, which no statement lists any more, and which one lists, unless an operator has said under which reference it does. */
export async function recordAwaited(tx: LedgerTransaction, credits: readonly AwaitedCredit[]): Promise<void> {
  if (credits.length === 0) return;
  await sql`
    with recorded as (
      update credits c set is_awaited = g.is_awaited from ${inputRows(credits, 'reference text, is_awaited boolean')} g
      where c.reference = g.reference and c.stated_as is null returning c.reference, c.is_awaited
    )
    update bank_bookings b set statement = null from recorded r where r.is_awaited and b.source = r.reference and b.statement is not null
  `.execute(tx);
}
