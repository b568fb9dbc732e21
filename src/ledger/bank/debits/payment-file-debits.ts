import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { MinorUnits } from '../../../platform/money.ts';
import type { LedgerTables } from '../../../schema/tables.ts';
import { idOfEndToEndId } from '../../end-to-end-id.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { type MoneyKey, reportsOf } from '../related-reports.ts';
import type { AccountDebit } from './bank-debits.ts';

/** SQL: the debits that have booked the payment `p`: by itself, with its whole file, or with others as an operator says. */
const bookings = sql`(
  select d.* from bank_debits d where d.payment = p.id and d.state in ('payment', 'explained')
  union all select d.* from bank_debits d where d.payment_file = p.file and d.state = 'payment'
  union all select d.* from bank_debits d where d.more_payments @> array[p.id] and d.state = 'explained')`;

/** SQL: whether a debit `d`, of which this is true, has booked the payment `p`. */
export function isBookedByDebit(condition = sql<boolean>`true`): RawBuilder<boolean> {
  return sql<boolean>`exists (select from ${bookings} d where ${condition})`;
}

/** The debits that have booked payments, with their amounts. */
export async function debitsOfPayments(tx: LedgerTransaction, payments: readonly string[]): Promise<BookedSum[]> {
  const { rows } = await sql<BookedSum>`
    select distinct d.reference, d.amount from payments p cross join lateral ${bookings} d where p.id = any(${payments}::uuid[]) order by d.reference
  `.execute(tx);
  return rows;
}

/** Those of payments that statements list, by themselves or in a sum, as other debits than this one. */
export async function statedPayments(tx: LedgerTransaction, payments: readonly { id: string }[], debit: string): Promise<string[]> {
  const ids = payments.map(({ id }) => id);
  const { rows } = await sql<{ id: string }>`
    select p.id from payments p where p.id = any(${ids}::uuid[]) and ${isBookedByDebit(sql`d.reference <> ${debit} and ${isListed('d.reference')}`)}
  `.execute(tx);
  return rows.map(({ id }) => id);
}

interface BookedSum {
  reference: string;
  amount: MinorUnits;
}

/**
 * The debits that book a payment file of ours in one sum: they name it, and their amount, and their number where they have one, are those of its
 * payments that were not refused, and that no debit has `booked`, or of all that no statement lists by themselves: some of them were notified before. Returns the payments that
 * are not booked yet. A debit whose amount differs is none, because nobody can say which payments it is for.
 */
export function debitsOfFiles(debits: readonly AccountDebit[], named: ReadonlyMap<AccountDebit, NamedPayments>, booked: readonly string[]) {
  const found = new Set<string>();
  return debits.flatMap((debit) => {
    const { file, payments: all = [] } = named.get(debit) ?? {};
    const payments = all.filter(({ id, isBooked }) => !isBooked && !booked.includes(id));
    const ofSum = [payments, payments.length === 0 ? [] : all.filter(({ id, isStated }) => !isStated && !booked.includes(id))].some(
      (some) =>
        some.every(({ currency }) => currency === debit.currency) &&
        some.reduce((sum, { amount }) => sum + amount, 0n) === debit.amount &&
        (debit.transactions ?? some.length) === some.length,
    );
    if (file === undefined || found.has(file) || !ofSum) return [];
    found.add(file);
    return [{ debit, file, payments }];
  });
}

function filesOf({ files }: AccountDebit): string[] {
  return files.flatMap((id) => idOfEndToEndId(id) ?? []);
}

/** Payments of ours that a debit names: one by its EndToEndId, or those of a file that were not refused. */
export interface NamedPayments {
  file: string | undefined;
  payments: NamedRow[];
}

interface NamedRow extends Pick<Selectable<LedgerTables['payments']>, 'id' | 'file' | 'currency' | 'amount' | 'cameBackBy'> {
  /** Whether a debit has booked it, and whether a statement lists that. */
  isBooked: boolean;
  isStated: boolean;
}

/** The payments of ours that debits name. */
export async function paymentsOfDebits(tx: LedgerTransaction, debits: readonly AccountDebit[]): Promise<Map<AccountDebit, NamedPayments>> {
  const ids = debits.map((debit) => ({ payment: idOfEndToEndId(debit.endToEndId), files: filesOf(debit) }));
  const [payments, files] = [ids.flatMap(({ payment }) => payment ?? []), ids.flatMap((named) => named.files)];
  if (payments.length + files.length === 0) return new Map();
  const { rows } = await sql<NamedRow>`
    select p.id, p.file, p.currency, p.amount, p.came_back_by, ${isBookedByDebit()} as is_booked, ${isBookedByDebit(isListed('d.reference'))} as is_stated from payments p
    where p.id = any(${payments}::uuid[]) or (p.file = any(${files}::uuid[]) and p.state <> 'refused') order by p.id
  `.execute(tx);
  const [byId, byFile] = [new Map(rows.map((row) => [row.id, row])), Map.groupBy(rows, ({ file }) => file)];
  return new Map(
    debits.flatMap((debit, index): [AccountDebit, NamedPayments][] => {
      const { payment = '', files: named } = ids[index] as (typeof ids)[number];
      const one = byId.get(payment);
      if (one !== undefined) return [[debit, { file: undefined, payments: [one] }]];
      const file = named.find((id) => byFile.has(id)) ?? '';
      return byFile.has(file) ? [[debit, { file, payments: byFile.get(file) ?? [] }]] : [];
    }),
  );
}

/**
 * The amounts of all that is reported of payment files of ours, of which these documents report the sum, or payments while the sum is known, and of debits that an operator has
 * said to book payments which these documents report: a bank may notify payments in one way and book them in the other.
 */
export async function moneyOfFiles(tx: LedgerTransaction, documents: readonly string[], keys: readonly MoneyKey[]): Promise<MoneyKey[]> {
  const { rows } = await sql<{ account: string; currency: string; amount: bigint }>`
    with own as (
      select r.account, r.currency, r.is_sum, r.facts from ${reportsOf(documents, keys)} r where r.amount < 0
    ), named as (
      select o.account, o.currency, p.file from own o join payments p on p.id = ${uuidOf(sql`o.facts ->> 'endToEndId'`)}
        where ${hasKnownSum}
      union select o.account, o.currency, f.id from own o cross join lateral jsonb_array_elements_text(o.facts -> 'files') named (id)
        join payment_files f on f.id = ${uuidOf(sql`named.id`)} where o.is_sum
    )
    select n.account, n.currency, -p.amount as amount from named n join payments p on p.file = n.file and p.currency = n.currency
    union select o.account, o.currency, -d.amount from own o join payments p on p.id = ${uuidOf(sql`o.facts ->> 'endToEndId'`)}
      cross join lateral ${bookings} d where ${isSaid} and d.account = o.account and d.currency = o.currency
    union select n.account, n.currency, -d.amount from named n join bank_debits d on d.payment_file = n.file and d.currency = n.currency where d.amount is not null
  `.execute(tx);
  return rows;
}

/** A payment file of ours, and whether its sum is known or named. */
export interface KnownFile {
  file: string;
  hasSum: boolean;
}

/** The files of these payments of ours, and those that are named, by their ids. */
export async function findFiles(
  tx: LedgerTransaction,
  payments: readonly string[],
  named: readonly string[],
): Promise<Map<string, KnownFile>> {
  if (payments.length + named.length === 0) return new Map();
  const { rows } = await sql<KnownFile & { id: string }>`
    select p.id, p.file, p.file = any(${named}::uuid[]) or ${hasKnownSum} as has_sum from payments p
    where p.id = any(${payments}::uuid[]) and p.file is not null
    union all select id, id, true from payment_files where id = any(${named}::uuid[])
  `.execute(tx);
  return new Map(rows.map(({ id, ...file }) => [id, file]));
}

/** Payments of ours, by their ids, of which an operator has said that a debit books them, or that one books with their whole file: its reference, and their amounts. */
export async function paymentsOfExplained(tx: LedgerTransaction, payments: readonly string[]): Promise<Map<string, BookedSum>> {
  if (payments.length === 0) return new Map();
  const { rows } = await sql<BookedSum & { id: string }>`
    select p.id, p.amount, d.reference from payments p cross join lateral ${bookings} d where p.id = any(${payments}::uuid[]) and (${isSaid} or d.payment_file = p.file)
  `.execute(tx);
  return new Map(rows.map(({ id, ...booked }) => [id, booked]));
}

/** SQL: whether an operator has said what the debit `d` is. */
const isSaid = sql<boolean>`d.state = 'explained'`;

/** SQL: whether a debit is known that names the file of the payment `p` as a whole. */
const hasKnownSum = sql<boolean>`exists (select from bank_debits d where d.payment_file = p.file)`;

/** SQL: an id of ours as a bank repeats it, in capitals or not; null for any other text. */
export function uuidOf(text: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql<string | null>`case when ${text} ~* '^[0-9a-f]{32}$' then (${text})::uuid end`;
}

/** A debit by which the bank may have booked a payment that another debit has booked. */
export interface SecondBooking {
  debit: string;
  isExplained: boolean;
  /** Whether it is of the same money as what came back. */
  isSameMoney: boolean;
  /** Whether statements list both bookings: else they may be two reports of one. */
  isListed: boolean;
}

/** SQL: whether a statement lists the debit with this reference. */
export function isListed(reference: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from report_money m join bank_reports r on r.id = m.report join bank_documents o on o.id = r.document
    where m.debit = ${sql.ref(reference)} and o.kind = 'statement')`;
}

const endToEndId = sql`replace(p.id::text, '-', '')`;

/** SQL: the debits that nobody has explained and that name the payment `p` or its file: the bank may have booked it by them. */
export const namingDebits = sql`(
  select * from bank_debits where end_to_end_id in (${endToEndId}, upper(${endToEndId})) and state = 'unexplained'
  union all select * from bank_debits where payment_file = p.file and state = 'unexplained')`;

/** SQL: the {@link SecondBooking}s of the payment `p`, of which the credit `c` may undo one, as JSON. An operator who took one for money of the operator's own may not have known. */
export const secondBookings = sql<SecondBooking[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('debit', s.reference, 'isExplained', s.state = 'explained',
    'isSameMoney', s.amount = c.amount and s.currency = c.currency,
    'isListed', ${isListed('s.reference')} and ${isBookedByDebit(isListed('d.reference'))}) order by s.reference), '[]')
  from (
    select * from bank_debits where end_to_end_id in (${endToEndId}, upper(${endToEndId})) and state in ('unexplained', 'explained')
    union all select * from bank_debits where payment_file = p.file and state in ('unexplained', 'explained')
  ) s
  where coalesce(s.explained_as in ('fee', 'interest', 'own'), true) and ${isBookedByDebit()})`;
