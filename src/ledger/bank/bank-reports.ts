import { type Selectable, sql } from 'kysely';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import { inputRows, toJson } from '../input-rows.ts';
import type { LedgerTables } from '../../schema/tables.ts';
import type { Ledger, LedgerTransaction } from '../ledger.ts';
import { withKeptPlans } from './bank-files.ts';
import type { AccountDebit } from './debits/bank-debits.ts';
import type { NewCredit } from './match-credits.ts';
import type { ReportedLine, ReportPlace } from './reported-line.ts';

/** A statement, notification or intraday report, or a page of one: of a master account, and as the bank writes that. */
type NewDocument = Pick<
  Selectable<LedgerTables['bankDocuments']>,
  'writtenAccount' | 'account' | 'kind' | 'name' | 'isLastPage' | 'statements'
> & {
  /** What a bank may not say: when it made it, its page, and of a statement its first and its last day, `YYYY-MM-DD`. */
  [Fact in 'created' | 'page' | 'fromOn' | 'closedOn']: Exclude<LedgerTables['bankDocuments'][Fact], null> | undefined;
} & {
  /** Minor units by currency. */
  balances: Readonly<Record<string, { opening: MinorUnits | null; closing: MinorUnits | null }>>;
};

/** Money that arrived or left, as a document reports it. */
export type NewReport = ReportPlace & {
  document: string;
  /** The bank's number of the entry, and `NtryRef`. */
  entryNumber: string | undefined;
  entryName: string | undefined;
  /** How many transactions the entry has, listed or not. */
  entryCount: number | undefined;
  /** What the document says that banks have kept of the entry, or will. */
  entryCharges?: MinorUnits | undefined;
} & ({ credit: NewCredit } | { debit: AccountDebit });

/** Records a document. Returns its id. */
export async function recordDocument(tx: LedgerTransaction, document: NewDocument): Promise<string> {
  const { created = null, page = null, fromOn = null, closedOn = null, balances, ...of } = document;
  const { id } = await tx
    .insertInto('bankDocuments')
    .values({ ...of, created, page, fromOn, closedOn, balances: toJson(balances) })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Records what documents report, as it stands there: {@link withKeptPlans}. */
export async function recordReports(tx: LedgerTransaction, reports: readonly NewReport[]): Promise<void> {
  if (reports.length === 0) return;
  const rows = reports.map((report) => {
    const money = 'credit' in report ? report.credit : report.debit;
    const account = 'credit' in report ? report.credit.bankAccount : report.debit.account;
    const signed = (value: bigint | undefined) => ('credit' in report || value === undefined ? value : -value);
    const { amount, entryAmount, isSum = false } = money;
    return {
      ...money,
      ...report,
      account,
      amount: signed(amount),
      entryTotal: signed(entryAmount),
      isSum,
      currency: money.currency || undefined,
      facts: { ...money, amount: amount?.toString(), entryAmount: entryAmount?.toString(), charges: undefined },
    };
  });
  const input = inputRows(
    rows,
    `document uuid, entry integer, line integer, account text, currency text, amount bigint, booked_on date, number text, entry_number text, entry_name text,
    entry_total numeric, entry_count integer, charges bigint, entry_charges bigint, is_sum boolean, uetr uuid, reference text, entry_reference text, facts jsonb`,
  );
  const insert = sql`
    insert into bank_reports (document, entry, line, account, currency, amount, booked_on, number, entry_number, entry_name, entry_total, entry_count, charges,
      entry_charges, is_sum, uetr,
      reference, entry_reference, facts)
    select * from ${input} r
  `;
  await insert.execute(tx);
}

/** The money that a report is, a credit or a debit, and whether that was made of it. */
export interface ReportedMoney {
  report: string;
  credit: string | null;
  debit: string | null;
  isFirst: boolean;
}

/** SQL: the reports with the money that each is, as a table. */
export const decidedReports = sql`(
  select r.*, m.credit, m.debit, coalesce(m.is_first, false) as is_first, coalesce(m.is_pinned, false) as is_pinned
  from bank_reports r left join report_money m on m.report = r.id)`;

/** Records which money reports are, as it was decided now. What an operator has said stays. */
export async function assignReports(tx: LedgerTransaction, money: readonly ReportedMoney[]): Promise<void> {
  if (money.length === 0) return;
  const insert = sql`
    insert into report_money as m (report, credit, debit, is_first)
    select report, credit, debit, is_first
    from ${inputRows(money, 'report bigint, credit text, debit text, is_first boolean')} g
    on conflict (report) do update set credit = excluded.credit, debit = excluded.debit, is_first = excluded.is_first
    where (m.credit, m.debit, m.is_first) is distinct from (excluded.credit, excluded.debit, excluded.is_first) and not m.is_pinned
  `;
  await withKeptPlans(tx, () => insert.execute(tx));
}

/** The debits of the entries of lines, by the ids of the lines. */
export async function debitsOfEntries(tx: LedgerTransaction, lines: readonly ReportedLine[]): Promise<Map<string, string[]>> {
  if (lines.length === 0) return new Map();
  const input = lines.map(({ id, document, place: { entry } }) => ({ id, document: document.id, entry }));
  const { rows } = await sql<{ id: string; debit: string }>`
    select g.id, m.debit from ${inputRows(input, 'id text, document uuid, entry integer')} g cross join lateral (
      select id from bank_reports where document = g.document and entry = g.entry and entry_count <> 1 and is_debit offset 0) r
    join report_money m on m.report = r.id where m.debit is not null
  `.execute(tx);
  return new Map([...Map.groupBy(rows, ({ id }) => id)].map(([id, ofLine]) => [id, ofLine.map(({ debit }) => debit)]));
}

/** What reports say, by their ids, as credits or debits that are not recorded yet. */
export async function factsOfReports<Money extends NewCredit | AccountDebit>(
  ledger: Ledger,
  reports: readonly string[],
): Promise<Map<string, Money>> {
  if (reports.length === 0) return new Map();
  const rows = await ledger
    .selectFrom('bankReports')
    .where(sql<boolean>`id = any(${reports}::bigint[])`)
    .select(['id', 'facts'])
    .execute();
  return new Map(
    rows.map(({ id, facts }) => [id.toString(), { ...(facts as Money), ...amountsOf(facts as Parameters<typeof amountsOf>[0]) }]),
  );
}

function amountsOf(facts: { amount?: string; entryAmount?: string }) {
  const { amount, entryAmount } = facts;
  return {
    ...(amount !== undefined && { amount: minorUnits(BigInt(amount)) }),
    ...(entryAmount !== undefined && { entryAmount: minorUnits(BigInt(entryAmount)) }),
  };
}
