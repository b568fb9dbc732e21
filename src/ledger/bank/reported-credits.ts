import { sql } from 'kysely';
import { accounts, bankAccountIn } from '../book/accounts.ts';
import { bookEntries } from '../book/entries.ts';
import type { MinorUnits } from '../../platform/money.ts';
import { inputRows } from '../input-rows.ts';
import type { LedgerTransaction } from '../ledger.ts';
import { creditsChanged } from './credit-standing.ts';

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
