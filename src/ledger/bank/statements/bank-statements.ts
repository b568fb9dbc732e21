import { type Selectable, sql } from 'kysely';
import { type MinorUnits, minorUnits } from '../../../platform/money.ts';
import { accounts, bankAccount } from '../../book/accounts.ts';
import { recordEntries } from '../../book/entries.ts';
import type { LedgerTables } from '../../../schema/tables.ts';
import { inputRows } from '../../input-rows.ts';
import type { LedgerTransaction } from '../../ledger.ts';

/** A statement of one account and currency, or a page of it. */
export interface NewStatement {
  account: string;
  currency: string;
  /** The bank's id of the statement; empty when it gives none. */
  number: string;
  sequence: number | undefined;
  /** Days, `YYYY-MM-DD`. */
  from: string | undefined;
  closedOn: string;
  opening: MinorUnits | undefined;
  closing: MinorUnits | undefined;
}

/** Days within which equal numbers are pages or repetitions of one statement. Some banks count anew each year. */
export const sameNumberDays = 45;

/**
 * Records a statement, or completes the one that it is a page or a repetition of: an account has one with a number, a running number and a
 * closing balance and, without a number, one on a day. Returns its id. What it says of its balances counts from now on.
 */
export async function recordStatement(tx: LedgerTransaction, statement: NewStatement): Promise<string> {
  const { account, currency, number, sequence = null, from = null, closedOn, opening = null, closing = null } = statement;
  const { rows } = await sql<{ id: string }>`
    with known as (
      select id from bank_statements
      where account = ${account} and currency = ${currency} and number = ${number}
        and case when ${number}::text = '' then closed_on = ${closedOn}::date else abs(closed_on - ${closedOn}::date) <= ${sameNumberDays} end
        and coalesce(sequence = ${sequence}::bigint, true)
        and (closed_on = ${closedOn}::date or closing is null or ${closing}::bigint is null)
      order by abs(closed_on - ${closedOn}::date) limit 1
    ), completed as (
      update bank_statements s set file = null, missing_page = null, closed_on = greatest(s.closed_on, ${closedOn}::date), sequence = coalesce(${sequence}::bigint, s.sequence),
        from_on = least(s.from_on, ${from}::date), opening = coalesce(${opening}::bigint, s.opening), closing = coalesce(${closing}::bigint, s.closing)
      from known where s.id = known.id returning s.id
    ), added as (
      insert into bank_statements (account, currency, number, sequence, from_on, closed_on, opening, closing)
      select ${account}, ${currency}, ${number}, ${sequence}, ${from}, ${closedOn}, ${opening}, ${closing} where not exists (select from known)
      returning id
    )
    select id from completed union all select id from added
  `.execute(tx);
  return (rows[0] as { id: string }).id;
}

/** What is booked meanwhile on their accounts is listed by these statements, whose ids have commas between them; by none when there are none. */
export async function bookUnderStatements(tx: LedgerTransaction, statements: string, book: () => Promise<unknown>): Promise<void> {
  if (statements !== '') await sql`select set_config('mintrail.statements', ${statements}, true)`.execute(tx);
  await book();
  if (statements !== '') await sql`select set_config('mintrail.statements', '', true)`.execute(tx);
}

/** What was booked before under these references of the bank, and what they repeat, is listed by these statements of its account and currency. */
export async function listBookings(tx: LedgerTransaction, statements: readonly string[], references: readonly string[]): Promise<void> {
  if (statements.length === 0 || references.length === 0) return;
  await sql`
    with named as materialized (
      select unnest(${references}::text[]) as source
      -- A part lists nothing of what it is a part of: the other parts may come later.
      union select repeated.* from bank_debits d cross join lateral unnest(d.repeats) repeated where d.reference = any(${references}::text[])
        and d.amount >= (select sum(f.amount) from bank_debits f where f.reference = any(d.repeats))
    ), sources as materialized (
      select source from named
      union select unnest(d.more_payments || d.payment)::text from named n join bank_debits d on d.reference = n.source where d.payment is not null
      union select p.id::text from named n join bank_debits d on d.reference = n.source join payments p on p.file = d.payment_file where d.state = 'payment'
    )
    update bank_bookings b set statement = s.id, in_opening = false
    from sources o cross join lateral (select entry, account from bank_bookings where source = o.source offset 0) found, bank_statements s
    where b.entry = found.entry and b.account = found.account and (b.statement is null or b.in_opening)
      and s.id = any(${statements}::uuid[]) and b.account = s.account and b.currency = s.currency
  `.execute(tx);
}

/** What was booked under a reference is in no statement but those that list it. */
export async function unlistBookings(
  tx: LedgerTransaction,
  listed: readonly { reference: string; listedBy: readonly string[] }[],
): Promise<void> {
  if (listed.length === 0) return;
  await sql`
    update bank_bookings b set statement = null from ${inputRows(listed, 'reference text, listed_by uuid[]')} g
    where b.source = g.reference and b.statement <> all(g.listed_by) and cardinality(g.listed_by) > 0
  `.execute(tx);
}

/** What was booked under these references is money that was booked under another one: it is listed by the statements that list that. */
export async function listWith(tx: LedgerTransaction, other: string, references: readonly string[]): Promise<void> {
  const { rows } = await sql<{ statement: string }>`
    select distinct statement from bank_bookings where source = ${other} and statement is not null
  `.execute(tx);
  const statements = rows.map(({ statement }) => statement);
  await listBookings(tx, statements, references);
}

interface ImportedStatement extends Selectable<LedgerTables['bankStatements']> {
  /** The day before which the opening balance holds. */
  from: string;
}

/**
 * Ends the import of the statements of a file: the first statement of an account opens it in the book, of several of a day that which opens where no other
 * closes. Gaps between statements are noted, and the file is recorded as theirs.
 */
export async function finishStatements(tx: LedgerTransaction, file: Buffer): Promise<void> {
  const { rows } = await sql<ImportedStatement>`
    select s.*, ${firstDay('s')} as "from"
    from (select distinct account, currency from bank_statements where file is null) a cross join lateral (
      select s.* from bank_statements s
      where s.account = a.account and s.currency = a.currency and coalesce(s.opening, s.closing) is not null
        and s.closed_on = (select min(f.closed_on) from bank_statements f where f.account = a.account and f.currency = a.currency)
        and exists (select from bank_statements i where i.file is null and i.account = a.account and i.currency = a.currency and i.closed_on = s.closed_on)
      order by ${firstDay('s')}, exists (
        select from bank_statements b
        where b.account = a.account and b.currency = a.currency and b.closed_on = s.closed_on and b.id <> s.id and b.closing = s.opening
          and (s.closing is distinct from b.opening or (coalesce(b.sequence, 0), b.id) < (coalesce(s.sequence, 0), s.id))
      ), coalesce(s.sequence, 0), s.id limit 1
    ) s
  `.execute(tx);
  for (const statement of rows) await openAccount(tx, statement, file);
  await noteGaps(tx);
  await sql`update bank_statements set file = ${file} where file is null`.execute(tx);
}

/** SQL: the statements of the account and currency before one, the last of them. */
function before(statement: string) {
  const [account, currency, day, sequence, id] = ['account', 'currency', 'closed_on', 'sequence', 'id'].map((name) =>
    sql.ref(`${statement}.${name}`),
  );
  return sql`
    select b.* from bank_statements b
    where b.account = ${account} and b.currency = ${currency}
      and (b.closed_on, coalesce(b.sequence, 0), b.id) < (${day}, coalesce(${sequence}, 0), ${id})
    order by b.closed_on desc, coalesce(b.sequence, 0) desc, b.id desc limit 1`;
}

/**
 * Books the opening of an account: its balance before its first statement, less what the book has of the days before, which is then in
 * that balance. A statement of an earlier time, imported later, corrects the opening, once by a file.
 */
async function openAccount(
  tx: LedgerTransaction,
  { id, account, currency, from, opening, closing }: ImportedStatement,
  file: Buffer,
): Promise<void> {
  // What was booked later was in the opening balance of another statement, which opens the account no more.
  await sql`
    update bank_bookings set statement = null, in_opening = false
    where account = ${account} and currency = ${currency} and booked_on >= ${from}::date and in_opening
  `.execute(tx);
  const { rows } = await sql<{ listed: bigint; opened: bigint; earlier: bigint }>`
    select (select coalesce(sum(b.amount), 0) from bank_bookings b join entries e on e.id = b.entry
        where b.statement = ${id} and e.kind <> 'opening')::bigint as listed,
      (select coalesce(sum(opened), 0) from bank_statements where account = ${account} and currency = ${currency} and opened <> 0)::bigint as opened,
      (select coalesce(sum(amount), 0) from bank_bookings
        where account = ${account} and currency = ${currency} and booked_on < ${from}::date and (statement is null or in_opening))::bigint as earlier
  `.execute(tx);
  const { listed, opened, earlier } = rows[0] as (typeof rows)[number];
  const balance = opening ?? (closing ?? 0n) - listed;
  // An opening that is less than what was booked before does not hold all of it: that stays unlisted, and is a difference soon.
  const isHeld = earlier <= balance;
  // What was booked before the day is in the opening balance of the statement.
  if (isHeld)
    await sql`
      update bank_bookings set statement = ${id}, in_opening = true
      where account = ${account} and currency = ${currency} and booked_on < ${from}::date and (statement is null or in_opening)
    `.execute(tx);
  const correction = balance - opened - (isHeld ? earlier : 0n);
  if (correction === 0n) return;
  await sql`update bank_statements set opened = opened + ${correction}::bigint where id = ${id}`.execute(tx);
  const [bank, equity] = [bankAccount(account), accounts.openings];
  const sides = correction > 0n ? { debit: bank, credit: equity } : { debit: equity, credit: bank };
  const amount = minorUnits(correction > 0n ? correction : 0n - correction);
  const entry = {
    kind: 'opening',
    source: `${account} ${currency} ${file.toString('hex')}`,
    bookedOn: from,
    ...sides,
    currency,
    amount,
  } as const;
  await bookUnderStatements(tx, id, () => recordEntries(tx, [entry]));
}

/** SQL: the first day of a statement. */
function firstDay(statement: string) {
  return sql`least(coalesce(${sql.ref(`${statement}.from_on`)}, ${sql.ref(`${statement}.closed_on`)}), ${sql.ref(`${statement}.closed_on`)})`;
}

/** SQL: the last day of the statements before the days of `s`; null where there are none. */
const dayBefore = sql<string | null>`(
  select max(b.closed_on) from bank_statements b where b.account = s.account and b.currency = s.currency and b.closed_on < ${firstDay('s')})`;

/**
 * SQL: whether a statement opens where another closes, of those that end within its days or on the last day before them, or where another of its days opens: a bank may state
 * days again. So it does where a balance is not known, and where nothing is before it: of several of the first days, another opens where it closes.
 */
const opensWhereKnown = sql<boolean>`(
  select coalesce(bool_or(s.opening is null or o.closing is null or o.closing = s.opening or (o.closed_on >= ${firstDay('s')} and o.opening = s.opening)
    or (o.opening = s.closing and ${dayBefore} is null)), true)
  from bank_statements o
  where o.account = s.account and o.currency = s.currency and o.id <> s.id and o.closed_on <= s.closed_on
    and o.closed_on >= coalesce(${dayBefore}, ${firstDay('s')}))`;

/** SQL: whether a statement is over several days, some of which the one before it has stated. */
function isOverKnownDays(statement: string, previous: string) {
  return sql<boolean>`coalesce(${firstDay(statement)} < ${sql.ref(`${statement}.closed_on`)} and ${firstDay(statement)} <= ${sql.ref(`${previous}.closed_on`)}, false)`;
}

/**
 * SQL: whether the number of the statement `s` and of the one before it are of two series, as when a bank counts those on demand by themselves: another of its day opens where
 * it does, or the one with the number before it closes there.
 */
const isOfOtherSeries = sql<boolean>`exists (
  select from bank_statements o
  where o.account = s.account and o.currency = s.currency and o.closed_on between s.closed_on - ${sameNumberDays}::integer and s.closed_on and o.id <> s.id
    and (o.sequence = s.sequence - 1 and o.closing = s.opening or o.closed_on = s.closed_on and o.opening = s.opening and o.closing <> s.opening))`;

/**
 * Notes where a statement seems to be missing: before the imported ones, and before those of their days and of the next day. What an operator accepted was
 * another gap when it changes, so the new one is open.
 */
async function noteGaps(tx: LedgerTransaction): Promise<void> {
  await sql`
    with touched as (
      select s.id from bank_statements i cross join lateral (
        select s.id from bank_statements s
        where s.account = i.account and s.currency = i.currency and s.closed_on >= ${firstDay('i')}
          and ${firstDay('s')} <= coalesce((
            select min(n.closed_on) from bank_statements n where n.account = i.account and n.currency = i.currency and n.closed_on > i.closed_on), i.closed_on)
      ) s where i.file is null
    ), gaps as (
      select s.id, case
        when s.missing_page is not null then 'its page ' || s.missing_page || ' has not come'
        when not ${opensWhereKnown} then 'it opens at another balance than the one before it closes'
        when ${isOverKnownDays('s', 'p')} then null
        when s.sequence > p.sequence + 1 and extract(year from s.closed_on) = extract(year from p.closed_on) and not p.is_over_known
          and not ${isOfOtherSeries}
          then 'its number is ' || s.sequence || ', and that of the one before it is ' || p.sequence
        end as gap
      from (select distinct id from touched) t join bank_statements s using (id) left join lateral (
        select p.*, ${isOverKnownDays('p', 'q')} as is_over_known from (${before('s')}) p left join lateral (${before('p')}) q on true
      ) p on true
    )
    update bank_statements s set gap = g.gap, gap_accepted_at = null, gap_accepted_by = null, gap_reason = null
    from gaps g where s.id = g.id and s.gap is distinct from g.gap
  `.execute(tx);
}

/** Whether an IBAN was assigned to a customer, whatever its state is now. */
export async function isAssignedIban(tx: LedgerTransaction, iban: string): Promise<boolean> {
  const row = await tx.selectFrom('ibans').where('iban', '=', iban).select('id').executeTakeFirst();
  return row !== undefined;
}
