import { type RawBuilder, sql } from 'kysely';
import type { Ledger } from '../../ledger.ts';
import { decidedReports } from '../bank-reports.ts';
import { mostDaysBetween } from '../related-reports.ts';

/** SQL: whether the debit `d` may take the credit `c` back, or a part of it: the same account and currency, not booked later, and not ended or taken back already. */
const mayBeOf = sql<boolean>`(c.bank_account = d.account and c.currency = d.currency
  and coalesce(c.booked_on, d.booked_on) <= d.booked_on and c.state in ('matched', 'unmatched', 'returned')
  and not exists (select from reversals v where v.credit = c.reference and not v.is_part))`;

/**
 * SQL: whether the debit `d` can take the credit `c` back as a whole, alone or with others: nothing of it is taken back already, and nothing of a sum of its entry
 * or of a credit that repeats it.
 */
export const canBeOf = sql<boolean>`(${mayBeOf} and not exists (select from reversals v where v.credit = c.reference)
  and not exists (select from reversals v where v.counts_with = c.reference) and not exists (select from reversals v where v.counts_with = c.entry_reference))`;

/** SQL: whether the debit `d` can take the credit `c` back by itself: it is of the same amount as well. */
export const canTakeBack = sql<boolean>`(c.amount = d.amount and ${canBeOf})`;

/**
 * SQL: whether it is not decided which money the credit `c` is. It may be that of another one, for which something would stay issued; or, where the debit `d` has not
 * its UETR, it is only supposed to be what a statement lists: the line names no creditor and nothing proves which notification is of it, while one to another customer
 * fits as well. The bank's number of it does not say whose money it is then.
 */
export const isUndecided = sql<boolean>`((c.state = 'unmatched' and c.repeats is not null) or coalesce(c.uetr::text <> d.uetr, true) and exists (
  select from ${decidedReports} r join bank_documents o on o.id = r.document and o.kind = 'statement' join ${decidedReports} f on f.credit = r.credit and f.is_first
    cross join lateral (select * from ${decidedReports} n where account = r.account and amount = r.amount and currency = r.currency
      and booked_on between r.booked_on - ${mostDaysBetween}::integer and r.booked_on + ${mostDaysBetween}::integer and credit <> r.credit offset 0) n
  where r.credit = c.reference and coalesce(r.facts ->> 'iban', r.account) = r.account
    and f.document <> r.document and coalesce(f.number <> r.number, true) and coalesce(f.entry_number <> r.entry_number, true) and coalesce(f.uetr <> r.uetr, true)
    and n.document <> r.document and n.facts ->> 'iban' not in (c.iban, n.account)
    and coalesce(n.number <> r.number, true) and coalesce(n.uetr = r.uetr, true) and coalesce(n.facts ->> 'endToEndId' = r.facts ->> 'endToEndId', true)
    and coalesce(n.facts -> 'payer' ->> 'iban' = r.facts -> 'payer' ->> 'iban', true)))`;

/**
 * SQL: what the debit `d` says otherwise than the credit `c`, null where one of them does not say it: another UETR or EndToEndId, or an account that the money goes to
 * which is not the payer's. A reversal may repeat the parties of the original, whose creditor account is the credit's own.
 */
const contradictions = [
  sql`c.uetr::text <> d.uetr`,
  sql`c.end_to_end_id <> d.end_to_end_id`,
  sql`d.payee ->> 'iban' not in (c.payer ->> 'iban', coalesce(c.iban, ''), c.bank_account)`,
];

/** SQL: whether the debit `d` says any of that otherwise. */
export const contradicts = anyOf(contradictions);

/**
 * SQL: an aggregate over the credits `c` of an entry: whether the debit `d`, which takes all of them back, says something that every credit which says
 * it contradicts. What is true of one of the credits may be said of their sum.
 */
export const allContradict = anyOf(contradictions.map((contradiction) => sql`bool_and(${contradiction})`));

function anyOf(conditions: RawBuilder<unknown>[]) {
  return sql<boolean>`(${sql.join(
    conditions.map((condition) => sql`coalesce(${condition}, false)`),
    sql` or `,
  )})`;
}

/** SQL: a UETR as the UUID that it is, by which credits are indexed; null when a bank wrote something else. */
export function uuidIn(column: string) {
  return sql<string | null>`case when ${sql.ref(column)} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then ${sql.ref(column)}::uuid end`;
}

/** How many equal references of one statement are looked up. */
const mostOfOneReference = 100;

/**
 * SQL: the references that credits may have by which the bank's reference of the debit `d`, or of its entry, names them, as `reference`. Where a statement has a
 * reference several times, the reader has put `#2`, `#3` and so on behind it, for credits and debits each: which of the credits is meant is not known.
 */
export const namedByBank = sql`(
  with recursive numbered as (
    select distinct base, 1 as number, base as reference
    from unnest(array[d.reference, d.entry_reference]) bank cross join lateral regexp_replace(bank, '#[0-9]+$', '') base
    where bank is not null
    union all
    select n.base, n.number + 1, next.reference from numbered n cross join lateral (select n.base || '#' || n.number + 1 as reference) next
    where n.number < ${mostOfOneReference} and coalesce(
      (select true from credits c where c.reference = next.reference limit 1),
      (select true from credits c where c.entry_reference = next.reference limit 1))
  )
  select reference from numbered)`;

/** Credits that are named for one debit: enough to compare, few enough to read. */
const mostNamed = 5;

/** How far a credit may lie before the debit that takes it back, for it to be named: a payer can have a payment refunded for 13 months. */
const longestReturnDays = 400;

/**
 * SQL: the credits that the debit `d` names: those with a reference of the bank or the UETR in common, of which it may take several or a part, and those with its
 * EndToEndId and amount.
 */
export const namedCredits = sql`(
    select c.* from ${namedByBank} n cross join lateral (select * from credits where entry_reference = n.reference offset 0) c
    union
    select c.* from ${namedByBank} n cross join lateral (select * from credits where reference = n.reference offset 0) c
    union
    select c.* from credits c where c.uetr = ${uuidIn('d.uetr')}
    union
    select c.* from credits c where hashtextextended(c.end_to_end_id, 0) = hashtextextended(d.end_to_end_id, 0) and c.end_to_end_id = d.end_to_end_id
      and c.amount = d.amount and c.booked_on between d.booked_on - ${longestReturnDays}::integer and d.booked_on)`;

/**
 * The credits that debits may take back, those of the same amount first, then the latest first, by the reference of the debit: those with a reference of
 * the bank or the UETR in common, of which it may take several or a part, and those with its EndToEndId and amount. Another UETR excludes a credit of
 * the same amount. Nothing is proven by this list: an operator decides.
 */
export async function possibleReversals(ledger: Ledger, debits: readonly string[]): Promise<Map<string, string[]>> {
  if (debits.length === 0) return new Map();
  const { rows } = await sql<{ debit: string; credits: string[] }>`
    select d.reference as debit, array(
      select c.reference from ${namedCredits} c where ${mayBeOf} and c.amount is not null and not (c.amount = d.amount and coalesce(c.uetr::text <> d.uetr, false))
      order by c.amount = d.amount desc, c.booked_on desc nulls last, c.reference limit ${mostNamed}) as credits
    from bank_debits d where d.reference = any(${debits}::text[]) and d.takes_back is not null
  `.execute(ledger);
  return new Map(rows.map(({ debit, credits }) => [debit, credits]));
}
