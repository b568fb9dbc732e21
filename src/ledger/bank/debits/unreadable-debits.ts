import { type RawBuilder, sql } from 'kysely';
import { formatAmount, type MinorUnits } from '../../../platform/money.ts';
import { bookEntries } from '../../book/entries.ts';
import { inputRows } from '../../input-rows.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { type DayReference, unusedReferences } from '../reported-credits.ts';
import { bookUnderStatements, listBookings } from '../statements/bank-statements.ts';
import { asDifferences, recordDebits, type UnreadableAccountDebit } from './bank-debits.ts';
import { explanationWrong } from './debit-explanation.ts';

/** Records debits whose amounts cannot be read, each once: they wait for an operator. Returns what is new, with its reference. */
export async function recordUnreadableDebits(
  tx: LedgerTransaction,
  debits: readonly UnreadableAccountDebit[],
  source: string,
): Promise<Map<UnreadableAccountDebit, string>> {
  const known = await knownDebits(tx, debits);
  const fresh = debits.filter((_, index) => !known.has(index));
  if (fresh.length === 0) return new Map();
  const references = await unusedReferences(
    tx,
    'bank_debits',
    fresh.map(({ reference, bookedOn }) => ({ reference, bookedOn })),
    'unreadable',
  );
  const recorded = fresh.map((debit, index) => ({
    debit: Object.assign({}, debit, { reference: references[index] as string }),
    problem: problemOf(debit.amountText),
  }));
  await recordDebits(tx, recorded, source);
  return new Map(fresh.map((debit, index) => [debit, references[index] as string]));
}

/**
 * The positions of the debits that are known: a debit of the day with the reference, which could be read, or which another kind of message reports, or the same one that
 * was sent again. A number may restart each day, and what a statement lists after another statement is another debit. What a statement lists is of that from now on.
 */
async function knownDebits(tx: LedgerTransaction, debits: readonly UnreadableAccountDebit[]): Promise<Set<number>> {
  if (debits.length === 0) return new Set();
  const input = debits.map(({ reference, bookedOn, document }, position) => ({ position, reference, bookedOn, document }));
  const { rows } = await sql<{ position: number; reference: string; statements: string[]; isListed: boolean }>`
    select g.position, d.reference, o.statements, o.kind = 'statement' and k.kind <> 'statement' as is_listed
    from ${inputRows(input, 'position integer, reference text, booked_on date, document uuid')} g join bank_documents o on o.id = g.document
    cross join lateral (
      select d.reference, d.document from bank_debits d left join bank_documents k on k.id = d.document
      where d.reference = any(${namesOf('g')}) and d.booked_on = g.booked_on
        and (k.id is null or k.kind <> o.kind
          or (k.name = o.name and o.name <> '' and k.page = o.page and k.created is not distinct from o.created))
      order by d.reference limit 1
    ) d left join bank_documents k on k.id = d.document
  `.execute(tx);
  for (const { position, reference, statements } of rows.filter(({ isListed }) => isListed)) {
    await tx.updateTable('bankDebits').set({ document: input[position]?.document }).where('reference', '=', reference).execute();
    await listBookings(tx, statements, [reference]);
  }
  return new Set(rows.map(({ position }) => position));
}

/** SQL: the references under which a debit may be recorded: the bank's, and that with its day behind it. */
function namesOf(debit: string): RawBuilder<string[]> {
  const [reference, day] = [sql.ref(`${debit}.reference`), sql.ref(`${debit}.booked_on`)];
  return sql<string[]>`array[${reference}, ${reference} || '~' || ${day}]`;
}

/** Why an unreadable debit waits, as a clause. */
export function problemOf(amountText: string): string {
  return `its amount, ${amountText === '' ? 'which is missing' : amountText}, cannot be read: ask the bank`;
}

/** A debit that no report could be read of, and what an operator has named as its amount. */
interface NamedDebit {
  reference: string;
  amount: MinorUnits | null;
}

/** Those with these references of the bank on these days, in their order. */
export async function findNamedAmounts(tx: LedgerTransaction, debits: readonly DayReference[]): Promise<(NamedDebit | undefined)[]> {
  if (debits.length === 0) return [];
  const input = debits.map((debit, position) => ({ ...debit, position }));
  const { rows } = await sql<NamedDebit & { position: number }>`
    select g.position, d.reference, d.amount from ${inputRows(input, 'position integer, reference text, booked_on date')} g
    cross join lateral (select * from bank_debits where reference = any(${namesOf('g')}) and booked_on = g.booked_on and amount is not null offset 0) d
    where not exists (select from report_money r where r.debit = d.reference)
  `.execute(tx);
  const byPosition = new Map(rows.map(({ position, ...named }) => [position, named]));
  return debits.map((_, position) => byPosition.get(position));
}

/** What an operator says that an unreadable debit was over; the currency where the bank gave none. */
interface NamedAmount {
  amount: MinorUnits;
  currency?: string | undefined;
}

/** An operator says what an unreadable debit was over: it is a difference in the book from then on. Throws `bad_input` for one whose amount is known, or whose currency is not. */
export async function nameAmount(tx: LedgerTransaction, reference: string, { amount, currency: named }: NamedAmount): Promise<void> {
  const debit = await tx
    .selectFrom('bankDebits')
    .where('reference', '=', reference)
    .where('amount', 'is', null)
    .where('state', '=', 'unexplained')
    .select(['currency', 'document'])
    .forUpdate()
    .executeTakeFirst();
  if (debit === undefined) throw explanationWrong(`its amount is known, and ${formatAmount(amount)} cannot replace it`);
  const currency = debit.currency === '' ? named : debit.currency;
  if (currency === undefined) throw explanationWrong('the bank gave it no currency: name that as well, by `--currency`');
  if (named !== undefined && named !== currency)
    throw explanationWrong(`it is in ${currency.toUpperCase()}, and not in ${named.toUpperCase()}`);
  await bookUnderStatements(tx, await statementsOf(tx, debit.document), () =>
    sql`
      with named as (update bank_debits set amount = ${amount}, currency = ${currency} where reference = ${reference} returning *), ${bookEntries(asDifferences('named'))}
      select
    `.execute(tx),
  );
}

/** The statements that a document is, with commas between them. */
async function statementsOf(tx: LedgerTransaction, document: string | null): Promise<string> {
  const known = await tx.selectFrom('bankDocuments').where('id', '=', document).select('statements').executeTakeFirst();
  return known?.statements.join(',') ?? '';
}
