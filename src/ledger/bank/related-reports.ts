import { type RawBuilder, sql } from 'kysely';
import { inputRows } from '../input-rows.ts';
import type { LedgerTransaction } from '../ledger.ts';
import { decidedReports } from './bank-reports.ts';
import { isNotBooked } from './derived-references.ts';
import { type CreditOfLine, type ReportDocument, type ReportedLine, type ReportEntry, statementKind } from './reported-line.ts';

/** A report as it stands in the ledger, with the credit or debit that it is. */
export interface StoredReport extends Omit<
  ReportedLine,
  'document' | 'entry' | 'credit' | 'payment' | 'file' | 'bookedBy' | 'isBatch' | 'isDoubtful' | 'isReturn'
> {
  document: string;
  /** Of a debit as a whole: ids of payment files that it names, as the bank writes them. */
  files: string[];
  entry: Pick<ReportEntry, 'number' | 'name' | 'count'> & { total: string | null; charges: string | null };
  /** Whether it is a debit that takes a credit back. */
  takesBack: boolean;
  credit: (Omit<CreditOfLine, 'amount'> & { amount: string | null }) | null;
}

/** Money of one amount on an account. */
export interface MoneyKey {
  account: string;
  /** Null where the bank's text is no currency or amount. */
  currency: string | null;
  /** Less than zero for money that left. */
  amount: bigint | null;
}

/** The amounts that left, or arrived, as documents report them, after the last one: as many as have about `limit` reports, and at least one. Reads a single document by its index. */
export async function nextMoneyKeys(
  tx: LedgerTransaction,
  documents: readonly string[],
  { side, after, limit }: { side: 'debits' | 'credits'; after: MoneyKey | undefined; limit: number },
): Promise<MoneyKey[]> {
  // The planner, who knows nothing of a new document, would read and sort what is left of it each time.
  await sql`select set_config('enable_sort', 'off', true)`.execute(tx);
  const { rows } = await sql<MoneyKey>`
    select k.account, nullif(k.currency, '') as currency, nullif(k.amount, 0) as amount from (
      select coalesce(amount, 0) as amount, coalesce(currency, '') as currency, account from bank_reports
      where document ${documents.length === 1 ? sql`= ${documents[0]}::uuid` : sql`= any(${documents}::uuid[])`}
        and ${side === 'debits' ? sql`coalesce(amount, 0) <= 0 and is_debit` : sql`coalesce(amount, 0) >= 0 and not is_debit`}
        and ${after === undefined ? sql`true` : sql`(coalesce(amount, 0), coalesce(currency, ''), account) > (${after.amount ?? 0n}::bigint, ${after.currency ?? ''}, ${after.account})`}
      order by coalesce(amount, 0), coalesce(currency, ''), account limit ${limit}
    ) k group by k.amount, k.currency, k.account order by k.amount, k.currency, k.account
  `.execute(tx);
  await sql`select set_config('enable_sort', 'on', true)`.execute(tx);
  return rows;
}

/** SQL: the amount and currency of a debit `r` that cannot be read: what an operator has named, or another report of its reference and day says. */
const namedMoney = sql`(
  select coalesce(-o.amount, d.amount) as amount, coalesce(o.currency, d.currency) as currency
  from (select * from bank_reports where reference = r.reference and booked_on = r.booked_on and r.amount is null and r.is_debit offset 0) o
    left join report_money m on m.report = o.id left join bank_debits d on d.reference = m.debit
  where coalesce(-o.amount, d.amount) is not null
  order by o.id limit 1)`;

/** A bank may notify at night of what it books after the weekend or a holiday. Days of the calendar. */
export const mostDaysBetween = 5;

/** Days around those of a document in which another report of its money may lie. */
const daysAround = 12;

/**
 * The amounts of what may be decided together with this money: of the entries that its reports are parts of, of their sums, and of their other parts; and the days in
 * which its other reports may lie.
 */
export async function relatedMoney(tx: LedgerTransaction, documents: readonly string[], keys: readonly MoneyKey[]) {
  const { rows } = await sql<MoneyKey & { first: string | null; last: string | null }>`
    with own as materialized (
      select r.account, r.currency, r.amount, r.charges, r.entry_total, r.entry_charges, r.entry_number, r.entry_count, r.is_sum, r.booked_on,
        -named.amount as named_amount, named.currency as named_currency
      from ${reportsOf(documents, keys)} r left join lateral ${namedMoney} named on true
    ), totals as materialized (
      select distinct account, currency, amount from own where coalesce(entry_count, 2) > 1 and amount = entry_total
    ), days as materialized (
      select min(booked_on) - ${daysAround}::integer as first, max(booked_on) + ${daysAround}::integer as last from own
    ), related as (
      select account, currency, amount from own
      union select account, named_currency, named_amount from own
      union select account, currency, entry_total::bigint from own where sign(entry_total) = sign(amount) and abs(entry_total) <= 100000000000000000 and entry_total <> amount
      union select o.account, s.currency, s.amount from (select distinct account, entry_number from own where entry_number is not null) o
        cross join days cross join lateral ${nearDays(sql`select currency, amount from bank_reports where account = o.account and entry_number = o.entry_number`)} s
      union select o.account, s.currency, s.amount from (select * from totals union ${otherAmounts('own')}) o
        cross join days cross join lateral ${nearDays(sql`
          select currency, amount from bank_reports where account = o.account and entry_total = o.amount and currency = o.currency and entry_count <> 1`)} s
      union ${otherAmounts('own')}
      union select account, currency, (entry_total + sign * entry_charges)::bigint from own cross join (values (1), (-1)) s (sign)
        where entry_charges is not null and entry_total < 100000000000000000
      union select o.account, o.currency, s.amount from (select distinct account, currency, amount from own where amount > 0) o
        cross join days cross join lateral ${chargedFrom('o')} s
      union select o.account, o.currency, s.amount from totals o cross join days cross join lateral ${chargedTotalsFrom('o')} s
    )
    select k.*, days.first::text, days.last::text from days cross join (
      select account, currency, amount from related where amount is not null
      union select account, currency, amount from ${keysTable(keys)} k
    ) k
  `.execute(tx);
  const { first = null, last = null } = rows[0] ?? {};
  return { keys: rows.map(({ account, currency, amount }) => ({ account, currency, amount })), first, last };
}

/** SQL: what a query of reports, which ends with its conditions, finds near `days` or without a day: apart, because each of both is a range of an index. */
function nearDays(query: RawBuilder<unknown>) {
  return sql`(${query} and booked_on between days.first and days.last union all ${query} and booked_on is null offset 0)`;
}

/** SQL: the amounts that other messages may give for the credits of a table with `charges`, before or after those. */
function otherAmounts(table: string) {
  return sql`
    select account, currency, amount + sign * charges as amount from ${sql.ref(table)} cross join (values (1), (-1)) s (sign) where charges is not null`;
}

/** SQL: the reports near `days` that are over an amount of a table before or after the charges that they name. */
function chargedFrom(table: string) {
  const of = (amount: RawBuilder<unknown>) =>
    nearDays(sql`select * from bank_reports where account = ${sql.ref(`${table}.account`)} and ${amount} = ${sql.ref(`${table}.amount`)}
      and currency = ${sql.ref(`${table}.currency`)} and charges is not null`);
  return sql`(${of(sql`(amount + charges)`)} union all ${of(sql`(amount - charges)`)})`;
}

/** SQL: the transactions near `days` of entries that come to an amount of a table before or after the charges that they name. */
function chargedTotalsFrom(table: string) {
  const of = (total: RawBuilder<unknown>) =>
    nearDays(sql`select * from bank_reports where account = ${sql.ref(`${table}.account`)} and ${total} = ${sql.ref(`${table}.amount`)}
      and currency = ${sql.ref(`${table}.currency`)} and entry_charges is not null and entry_count <> 1`);
  return sql`(${of(sql`(entry_total + entry_charges)`)} union all ${of(sql`(entry_total - entry_charges)`)})`;
}

/** SQL: the reports of documents over these amounts. Of a single document, which may be large, each amount is looked up by its index. */
export function reportsOf(documents: readonly string[], keys: readonly MoneyKey[]) {
  const [only, ...others] = documents;
  if (only === undefined || others.length > 0)
    return sql`(select r.* from unnest(${documents}::uuid[]) d (id) cross join lateral (select * from bank_reports where document = d.id offset 0) r
      join ${keysTable(keys)} k on k.account = r.account and k.currency is not distinct from r.currency and k.amount is not distinct from r.amount)`;
  return sql`(select r.* from ${keysTable(keys)} k cross join lateral (
    select * from bank_reports where document = ${only}::uuid and account = k.account and coalesce(currency, '') = coalesce(k.currency, '')
      and coalesce(amount, 0) = coalesce(k.amount, 0) offset 0) r)`;
}

/** All reports over these amounts near the days of the documents, those that name the same payment or have the same credit, and the sums and transactions of their entries. */
export async function findReports(
  tx: LedgerTransaction,
  documents: readonly string[],
  { keys, first, last }: Awaited<ReturnType<typeof relatedMoney>>,
): Promise<StoredReport[]> {
  const { rows } = await sql<StoredReport>`
    with days as materialized (
      select ${first}::date as first, ${last}::date as last
    ), keys as materialized (
      select * from ${keysTable(keys)} k
    ), near as materialized (
      select r.* from keys k cross join days cross join lateral
        ${nearDays(sql`select * from ${decidedReports} r where r.account = k.account and r.amount = k.amount and r.currency = k.currency`)} r
      union all
      select r.* from (select * from keys where amount is null or currency is null) k cross join lateral (
        select * from ${decidedReports} r where r.account = k.account and (r.amount = k.amount or (r.amount is null and k.amount is null))
          and r.currency is not distinct from k.currency offset 0) r
    ), own as materialized (
      select id, uetr, account, number from near where document = any(${documents}::uuid[])
    ), found as materialized (
      select ${found} from near r
      -- What may be the money of these before or after charges is compared with them, and with what else is over its amount.
      union all select r.* from (
        ${otherAmounts('near')} union select o.account, o.currency, s.amount from (select distinct account, currency, amount from near) o
          cross join days cross join lateral ${chargedFrom('o')} s
      ) o cross join days cross join lateral
        ${nearDays(sql`select ${found} from bank_reports r where r.account = o.account and r.amount = o.amount and r.currency = o.currency`)} r
      union all select r.* from (select distinct credit from near where credit is not null) n
        cross join lateral (select ${found} from report_money m join bank_reports r on r.id = m.report where m.credit = n.credit offset 0) r
      union all select r.* from (select distinct debit from near where debit is not null) n
        cross join lateral (select ${found} from report_money m join bank_reports r on r.id = m.report where m.debit = n.debit offset 0) r
      union all select r.* from (select distinct uetr from own where uetr is not null) n
        cross join lateral (select ${found} from bank_reports r where uetr = n.uetr offset 0) r
      union all select r.* from (select distinct account, number from own where number is not null) n
        cross join days cross join lateral ${nearDays(sql`select ${found} from bank_reports r where account = n.account and number = n.number`)} r
    ), sums as materialized (
      select distinct account, amount, currency, charges from found where is_sum
    ), entries as materialized (
      select document, entry, account, currency, entry_total, entry_charges from found where entry_count <> 1
      union
      select s.document, s.entry, s.account, s.currency, s.entry_total, s.entry_charges
        from (select account, currency, amount from sums union ${otherAmounts('sums')}) f
        cross join days cross join lateral (
          select * from bank_reports where account = f.account and entry_total = f.amount and currency = f.currency and entry_count <> 1
            and booked_on between days.first and days.last offset 0) s
      union
      select s.document, s.entry, s.account, s.currency, s.entry_total, s.entry_charges from (select distinct account, currency, amount from sums) f
        cross join days cross join lateral ${chargedTotalsFrom('f')} s
    ), totals as materialized (
      select distinct account, currency, amount from (
        select account, currency, entry_total as amount from entries
        union all select account, currency, entry_total + sign * entry_charges from entries cross join (values (1), (-1)) s (sign) where entry_charges is not null
      ) t where abs(amount) between 1 and 100000000000000000
    ), others as materialized (
      select id from found
      union select r.id from entries e cross join lateral (select id from bank_reports where document = e.document and entry = e.entry and entry_count <> 1 offset 0) r
      union select r.id from totals t cross join days cross join lateral (
        select id from bank_reports where account = t.account and amount = t.amount::bigint and currency = t.currency
          and booked_on between days.first and days.last and is_sum offset 0) r
      union select r.id from (select account, currency, amount::bigint as amount from totals) t cross join days cross join lateral (
        select id from ${chargedFrom('t')} c where is_sum) r
      union select r.id from (select distinct account, entry_number from found where is_sum and entry_number is not null) f
        cross join days cross join lateral ${nearDays(sql`select id from bank_reports where account = f.account and entry_number = f.entry_number`)} r
      except select id from near
    ), read as (
      select * from near
      union all select r.* from others cross join lateral (select * from ${decidedReports} r where id = others.id offset 0) r
    )
    select r.id::text, r.document, json_build_object('entry', r.entry, 'line', r.line) as place, r.account, r.is_debit, coalesce(r.currency, named.currency) as currency,
      coalesce(abs(r.amount), named.amount) as amount,
      r.charges, r.booked_on::text, r.number, r.uetr, r.is_sum, r.reference, r.entry_reference,
      json_build_object('number', r.entry_number, 'name', r.entry_name, 'total', (case when r.is_debit then -r.entry_total else r.entry_total end)::text,
        'count', r.entry_count, 'charges', r.entry_charges::text) as entry,
      concat_ws(' ', coalesce(r.number, ''), coalesce(r.entry_number, ''), md5(r.facts::text)) as content, r.facts ->> 'iban' as iban,
      coalesce(side.party ->> 'iban', side.party ->> 'accountNumber') as payer_account, side.party ->> 'name' as payer_name, r.facts ->> 'endToEndId' as end_to_end_id,
      coalesce(r.facts -> 'files', '[]') as files,
      coalesce(r.facts ->> 'railReason', r.facts ->> 'doubt') as reason, r.facts ->> 'unmatched' as unmatched, r.facts ? 'takesBack' as takes_back,
      case when money.became is not null then json_build_object('reference', coalesce(r.credit, r.debit), 'became', money.became,
        'state', case money.became when 'unmatched' then 'open' when 'replaced' then 'replaced' else 'spent' end, 'amount', coalesce(c.amount, d.amount)::text,
        'iban', c.iban, 'reason', coalesce(c.rail_reason, d.hold), 'entryReference', coalesce(c.entry_reference, d.entry_reference), 'isFirst', r.is_first,
        'isPinned', r.is_pinned, 'isAwaited', c.is_awaited,
        'isNotBooked', coalesce(c.is_awaited, false) and exists (select from reversals v where v.credit = c.reference and ${isNotBooked(sql`v.debit`)})) end as credit
    from read r left join lateral ${namedMoney} named on true
      cross join lateral (select coalesce(r.facts -> 'payer', r.facts -> 'payee') as party) side
      left join lateral (select * from credits where reference = r.credit offset 0) c on true
      left join lateral (select * from bank_debits where reference = r.debit offset 0) d on true
      -- A debit that waits to be explained is unmatched, and any other that counts is settled.
      cross join lateral (select coalesce(c.state, case when d.state = 'replaced' then d.state when d.state = 'unexplained' and d.reversals_undone = 0 then 'unmatched'
        when d.state is not null then 'settled' end) as became offset 0) money
    order by r.id
  `.execute(tx);
  return rows;
}

/** SQL: of a report `r`, what decides which others are read with it. Only ids are made unique: to sort all of it would cost as much as to read it. */
const found = sql`r.id, r.document, r.entry, r.entry_number, r.account, r.amount, r.currency, r.charges, r.entry_total, r.entry_charges, r.entry_count, r.is_sum`;

/** Documents by their ids. */
export async function findDocuments(tx: LedgerTransaction, ids: readonly string[]): Promise<ReportDocument[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<ReportDocument>`
    select d.id, d.kind, d.name, d.created as created_at, d.page, d.from_on::text, d.closed_on::text, d.balances, d.statements, coalesce(day.balances, '[]') as balances_of_day
    from bank_documents d left join lateral (
      select jsonb_agg(o.balances) as balances from bank_documents o
      where d.kind = ${statementKind} and o.account = d.account and o.closed_on = d.closed_on and o.kind = d.kind having count(*) > 2) day on true
    where d.id = any(${ids}::uuid[])
  `.execute(tx);
  return rows;
}

function keysTable(keys: readonly MoneyKey[]) {
  return inputRows(keys, 'account text, currency text, amount bigint');
}
