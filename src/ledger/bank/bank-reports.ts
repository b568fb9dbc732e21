import { sql } from 'kysely';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import type { CreditState } from '../../schema/states.ts';
import type { LedgerTransaction } from '../ledger.ts';
import type { NewCredit } from './match-credits.ts';

/** A statement, notification or intraday report, or a page of one. */
export interface NewDocument {
  /** As the bank writes it, and the master account that it is. */
  writtenAccount: string;
  account: string;
  kind: string;
  name: string;
  createdAt: string | undefined;
  page: number;
  /** Of a statement: its last day, `YYYY-MM-DD`. */
  closedOn: string | undefined;
  /** Minor units by currency. */
  balances: Readonly<Record<string, { opening: MinorUnits | null; closing: MinorUnits | null }>>;
  /** Its rows among the bank's statements. */
  statements: readonly string[];
}

/** Money that arrived, as a document reports it. */
export interface NewReport {
  document: string;
  /** The number of the entry in the file, and the line at which it begins. */
  entry: number;
  line: number;
  /** The bank's numbers of the transaction and of its entry, and `NtryRef`. */
  number: string | undefined;
  entryNumber: string | undefined;
  entryName: string | undefined;
  /** How many transactions the entry has, listed or not. */
  entryCount: number | undefined;
  credit: NewCredit;
}

/** A document in the ledger. */
export interface StoredDocument {
  document: string;
  kind: string;
  name: string;
  createdAt: string | null;
  page: number;
  balances: WrittenBalances;
  statements: string[];
}

/** A report in the ledger, with its document and the credit that was made of it. */
export interface StoredReport extends StoredDocument {
  id: string;
  entry: number;
  line: number;
  account: string;
  currency: string | null;
  amount: MinorUnits | null;
  bookedOn: string | null;
  number: string | null;
  entryNumber: string | null;
  entryName: string | null;
  entryTotal: string | null;
  entryCount: number | null;
  uetr: string | null;
  reference: string;
  entryReference: string | null;
  /** The bank's numbers, and a digest of all that the line says. */
  content: string;
  iban: string | null;
  payerAccount: string | null;
  payerName: string | null;
  endToEndId: string | null;
  isSum: boolean;
  /** Why the reader found that it cannot become an order: the code, and the sentence. */
  reason: string | null;
  unmatched: string | null;
  credit: string | null;
  isFirst: boolean;
  isPinned: boolean;
  creditState: CreditState | null;
  creditIban: string | null;
  creditAmount: MinorUnits | null;
  creditReason: string | null;
  creditEntry: string | null;
  isAwaited: boolean | null;
}

/** Booked balances by currency, in minor units as text. */
export type WrittenBalances = Record<string, { opening: string | null; closing: string | null }>;

/** Money of one amount on an account. */
export interface MoneyKey {
  account: string;
  /** Null where the bank's text is no currency or amount. */
  currency: string | null;
  amount: MinorUnits | null;
}

/** Records a document. Returns its id. */
export async function recordDocument(tx: LedgerTransaction, document: NewDocument): Promise<string> {
  const { writtenAccount, account, kind, name, createdAt = null, page, closedOn = null, balances, statements } = document;
  const texts = Object.entries(balances).map(
    ([currency, { opening, closing }]) =>
      [currency, { opening: opening?.toString() ?? null, closing: closing?.toString() ?? null }] as const,
  );
  const { id } = await tx
    .insertInto('bankDocuments')
    .values({
      writtenAccount,
      account,
      kind,
      name,
      created: createdAt,
      page,
      closedOn,
      balances: JSON.stringify(Object.fromEntries(texts)),
      statements: [...statements],
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Records what documents report, as it stands there. */
export async function recordReports(tx: LedgerTransaction, reports: readonly NewReport[]): Promise<void> {
  if (reports.length === 0) return;
  const rows = reports.map(({ document, entry, line, number, entryNumber, entryName, entryCount, credit }) => {
    const { amount, entryAmount, ...facts } = credit;
    const texts = { ...facts, amount: amount?.toString(), entryAmount: entryAmount?.toString() };
    const { reference, entryReference, currency, bankAccount: account, bookedOn, uetr } = credit;
    return {
      document,
      entry,
      line,
      account,
      currency,
      amount: amount?.toString(),
      booked_on: bookedOn,
      number,
      entry_number: entryNumber,
      entry_name: entryName,
      entry_total: entryAmount?.toString(),
      is_sum: credit.isSum ?? false,
      entry_count: entryCount,
      uetr,
      reference,
      entry_reference: entryReference,
      facts: texts,
    };
  });
  await sql`
    insert into bank_reports (document, entry, line, account, currency, amount, booked_on, number, entry_number, entry_name, entry_total, entry_count, is_sum, uetr,
      reference, entry_reference, facts)
    select document, entry, line, account, currency, amount, booked_on, number, entry_number, entry_name, entry_total, entry_count, is_sum, uetr,
      reference, entry_reference, facts
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(document uuid, entry integer, line integer, account text, currency text, amount bigint,
      booked_on date, number text, entry_number text, entry_name text, entry_total numeric, entry_count integer, is_sum boolean, uetr uuid, reference text,
      entry_reference text, facts jsonb)
  `.execute(tx);
}

/** The amounts that documents report, after the last one: as many as have about `limit` reports, and at least one. Reads a single document by its index. */
export async function nextMoneyKeys(
  tx: LedgerTransaction,
  documents: readonly string[],
  { after, limit }: { after: MoneyKey | undefined; limit: number },
): Promise<MoneyKey[]> {
  const { rows } = await sql<{ account: string; currency: string; amount: MinorUnits; before: string }>`
    select account, currency, amount, (sum(reports) over (order by account, currency, amount) - reports)::text as before from (
      select account, coalesce(currency, '') as currency, coalesce(amount, -1) as amount, count(*) as reports from bank_reports
      where document ${documents.length === 1 ? sql`= ${documents[0]}::uuid` : sql`= any(${documents}::uuid[])`}
        and ${after === undefined ? sql`true` : sql`(account, coalesce(currency, ''), coalesce(amount, -1)) > (${after.account}, ${after.currency ?? ''}, ${after.amount ?? -1n}::bigint)`}
      group by 1, 2, 3 order by 1, 2, 3 limit ${limit}
    ) k order by account, currency, amount
  `.execute(tx);
  return rows
    .filter(({ before }, index) => index === 0 || Number(before) < limit)
    .map(({ account, currency, amount }) => ({
      account,
      currency: currency === '' ? null : currency,
      amount: amount < 0n ? null : amount,
    }));
}

/** Days around those of a document in which another report of its money may lie. */
const daysAround = 12;

/** The amounts of what may be decided together with money of some documents, and the days in which its other reports may lie. */
export interface RelatedMoney {
  keys: MoneyKey[];
  /** `YYYY-MM-DD`; null where no day is known. */
  first: string | null;
  last: string | null;
}

/** The amounts of what may be decided together with this money: of the entries that its reports are parts of, of their sums, and of their other parts. */
export async function relatedMoney(tx: LedgerTransaction, documents: readonly string[], keys: readonly MoneyKey[]): Promise<RelatedMoney> {
  const { rows } = await sql<MoneyKey & { first: string | null; last: string | null }>`
    with own as materialized (
      select r.account, r.currency, r.amount, r.entry_total, r.entry_number, r.entry_count, r.booked_on from ${reportsOf(documents, keys)} r
    ), related as (
      select account, currency, amount from own
      union select account, currency, entry_total::bigint from own where entry_total between 1 and 100000000000000000 and entry_total <> amount
      union select o.account, s.currency, s.amount from (select distinct account, entry_number from own where entry_number is not null) o
        cross join lateral (select currency, amount from bank_reports where account = o.account and entry_number = o.entry_number offset 0) s
      union select o.account, s.currency, s.amount
        from (select distinct account, currency, amount from own where coalesce(entry_count, 2) > 1 and amount = entry_total) o
        cross join lateral (
          select currency, amount from bank_reports where account = o.account and entry_total = o.amount and currency = o.currency and entry_count <> 1 offset 0) s
    ), days as (select (min(booked_on) - ${daysAround}::integer)::text as first, (max(booked_on) + ${daysAround}::integer)::text as last from own)
    select k.*, days.first, days.last from days cross join (
      select account, currency, amount from related where amount is not null
      union select account, currency, amount from ${inputOf(keys)} k
    ) k
  `.execute(tx);
  const { first = null, last = null } = rows[0] ?? {};
  return { keys: rows.map(({ account, currency, amount }) => ({ account, currency, amount })), first, last };
}

/** SQL: the reports of documents over these amounts. Of a single document, which may be large, each amount is looked up by its index. */
function reportsOf(documents: readonly string[], keys: readonly MoneyKey[]) {
  const [only, ...others] = documents;
  if (only === undefined || others.length > 0)
    return sql`(select r.* from unnest(${documents}::uuid[]) d (id) cross join lateral (select * from bank_reports where document = d.id offset 0) r
      join ${inputOf(keys)} k on k.account = r.account and k.currency is not distinct from r.currency and k.amount is not distinct from r.amount)`;
  return sql`(select r.* from ${inputOf(keys)} k cross join lateral (
    select * from bank_reports where document = ${only}::uuid and account = k.account and coalesce(currency, '') = coalesce(k.currency, '')
      and coalesce(amount, -1) = coalesce(k.amount, -1) offset 0) r)`;
}

/** SQL: what decides which reports belong together, from `bank_reports r`. */
const found = sql`r.id, r.document, r.entry, r.credit, r.number, r.entry_number, r.uetr, r.account, r.amount, r.currency, r.entry_total, r.entry_count, r.is_sum`;

/** All reports over these amounts near the days of the documents, those that name the same payment or have the same credit, and the sums and transactions of their entries. */
export async function findReports(
  tx: LedgerTransaction,
  documents: readonly string[],
  { keys, first, last }: RelatedMoney,
): Promise<StoredReport[]> {
  const { rows } = await sql<StoredReport>`
    with days as materialized (
      select ${first}::date as first, ${last}::date as last
    ), near as materialized (
      select r.* from ${inputOf(keys)} k cross join days cross join lateral (
        select ${found} from bank_reports r where r.account = k.account and r.amount = k.amount and r.currency = k.currency
          and (r.booked_on between days.first and days.last or r.booked_on is null) offset 0) r
      union
      select r.* from ${inputOf(keys)} k cross join lateral (
        select ${found} from bank_reports r where (k.amount is null or k.currency is null) and r.account = k.account
          and r.amount is not distinct from k.amount and r.currency is not distinct from k.currency offset 0) r
    ), found as materialized (
      select * from near
      union select r.* from (select distinct credit from near where credit is not null) n
        cross join lateral (select ${found} from bank_reports r where credit = n.credit offset 0) r
      union select r.* from (select distinct uetr from near where uetr is not null and document = any(${documents}::uuid[])) n
        cross join lateral (select ${found} from bank_reports r where uetr = n.uetr offset 0) r
      union select r.* from (select distinct account, number from near where number is not null and document = any(${documents}::uuid[])) n
        cross join days cross join lateral (
          select ${found} from bank_reports r where account = n.account and number = n.number
            and (booked_on between days.first and days.last or booked_on is null) offset 0) r
    ), entries as materialized (
      select document, entry, account, currency, entry_total from found where entry_count <> 1
      union
      select s.document, s.entry, s.account, s.currency, s.entry_total from found f
        cross join days cross join lateral (
          select * from bank_reports where f.is_sum and account = f.account and entry_total = f.amount and currency = f.currency and entry_count <> 1
            and booked_on between days.first and days.last offset 0) s
    ), read as materialized (
      select id from found
      union select r.id from entries e cross join lateral (select id from bank_reports where document = e.document and entry = e.entry and entry_count <> 1 offset 0) r
      union select r.id from entries e cross join days cross join lateral (
        select id from bank_reports where account = e.account and amount = case when e.entry_total between 1 and 100000000000000000 then e.entry_total::bigint end and currency = e.currency
          and booked_on between days.first and days.last and is_sum offset 0) r
      union select r.id from (select distinct account, entry_number from found where is_sum and entry_number is not null) f
        cross join days cross join lateral (
          select id from bank_reports where account = f.account and entry_number = f.entry_number
            and booked_on between days.first and days.last offset 0) r
    )
    select r.id::text, r.document, d.kind, d.name, d.created as "createdAt", d.page, d.balances, d.statements, r.entry, r.line, r.account, r.currency, r.amount,
      r.booked_on::text as "bookedOn", r.number, r.entry_number as "entryNumber", r.entry_name as "entryName", r.entry_total::text as "entryTotal",
      r.entry_count as "entryCount", r.uetr, r.reference, r.entry_reference as "entryReference",
      concat_ws(' ', coalesce(r.number, ''), coalesce(r.entry_number, ''), md5(r.facts::text)) as content, r.facts ->> 'iban' as iban,
      coalesce(r.facts #>> '{payer,iban}', r.facts #>> '{payer,accountNumber}') as "payerAccount", r.facts #>> '{payer,name}' as "payerName",
      r.facts ->> 'endToEndId' as "endToEndId", r.is_sum as "isSum", r.facts ->> 'railReason' as reason, r.facts ->> 'unmatched' as unmatched,
      r.credit, r.is_first as "isFirst", r.is_pinned as "isPinned", c.state as "creditState",
      c.iban as "creditIban", c.amount as "creditAmount", c.rail_reason as "creditReason", c.entry_reference as "creditEntry", c.is_awaited as "isAwaited"
    from read cross join lateral (select * from bank_reports where id = read.id offset 0) r
      cross join lateral (select * from bank_documents where id = r.document offset 0) d
      left join lateral (select * from credits where reference = r.credit offset 0) c on true
    order by r.id
  `.execute(tx);
  return rows;
}

/** Documents by their ids. */
export async function findDocuments(tx: LedgerTransaction, ids: readonly string[]): Promise<StoredDocument[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<StoredDocument>`
    select d.id as document, d.kind, d.name, d.created as "createdAt", d.page, d.balances, d.statements from bank_documents d where d.id = any(${ids}::uuid[])
  `.execute(tx);
  return rows;
}

/** The balances of the statements of a day, by each of these documents whose day has several. */
export async function balancesOfDays(tx: LedgerTransaction, documents: readonly string[]): Promise<Map<string, WrittenBalances[]>> {
  if (documents.length < 2) return new Map();
  const { rows } = await sql<{ id: string; balances: WrittenBalances[] }>`
    select d.id, jsonb_agg(o.balances) as balances from bank_documents d
      join bank_documents o on o.account = d.account and o.closed_on = d.closed_on and o.kind = d.kind
    where d.id = any(${documents}::uuid[]) group by d.id having count(*) > 2
  `.execute(tx);
  return new Map(rows.map(({ id, balances }) => [id, balances]));
}

/** The money that reports are: of `first` the credit was made. */
export interface ReportedMoney {
  credit: string | null;
  reports: readonly string[];
  first: string | undefined;
}

/** Records which money reports are, as it was decided now. What an operator has said stays. */
export async function assignReports(tx: LedgerTransaction, money: readonly ReportedMoney[]): Promise<void> {
  const rows = money.flatMap(({ credit, reports, first }) => reports.map((id) => ({ id, credit, is_first: id === first })));
  if (rows.length === 0) return;
  await sql`
    update bank_reports r set credit = g.credit, is_first = g.is_first
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(id bigint, credit text, is_first boolean)
    where r.id = g.id and (r.credit is distinct from g.credit or r.is_first <> g.is_first) and not r.is_pinned
  `.execute(tx);
}

/** What reports say, by their ids, as credits that are not recorded yet. */
export async function creditsOfReports(tx: LedgerTransaction, reports: readonly string[]): Promise<Map<string, NewCredit>> {
  if (reports.length === 0) return new Map();
  const rows = await tx.selectFrom('bankReports').where('id', 'in', reports.map(BigInt)).select(['id', 'facts']).execute();
  return new Map(rows.map(({ id, facts }) => [id.toString(), creditOf(facts as WrittenCredit)]));
}

type WrittenCredit = Omit<NewCredit, 'amount' | 'entryAmount'> & { amount?: string; entryAmount?: string };

function creditOf({ amount, entryAmount, ...more }: WrittenCredit): NewCredit {
  return {
    ...more,
    ...(amount !== undefined && { amount: minorUnits(BigInt(amount)) }),
    ...(entryAmount !== undefined && { entryAmount: minorUnits(BigInt(entryAmount)) }),
  };
}

function inputOf(keys: readonly MoneyKey[]) {
  const rows = JSON.stringify(keys.map(({ account, currency, amount }) => ({ account, currency, amount: amount?.toString() })));
  return sql`(select * from jsonb_to_recordset(${rows}::jsonb) as k(account text, currency text, amount bigint))`;
}
