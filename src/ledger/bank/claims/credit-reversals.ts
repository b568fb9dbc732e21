import { sql, type RawBuilder } from 'kysely';
import type { MinorUnits } from '../../../platform/money.ts';
import type { LedgerTransaction, Ledger } from '../../ledger.ts';
import { decidedReports } from '../bank-reports.ts';
import { bookedAmount, canBeReversed } from '../credit-standing.ts';
import { lockCredits, type TakenBack, takeCreditsBack } from './taken-back.ts';
import { mostDaysBetween } from '../related-reports.ts';

/** Debits from earlier reports over the same money that are looked at again, the newest. The older ones wait for an operator. */
const mostOfSameMoney = 500;

/** A debit that takes credits back. */
interface Candidate {
  debit: string;
  currency: string;
  amount: MinorUnits;
  bookedOn: string;
  reason: string;
  /** The credits that it may take back by itself: one alone, or all of an entry. None while it is not decided of one of these which money it is. */
  possible: string[][];
}

/** What became of such a debit: the credits, their orders, and what was done; none are `taken` while it is not known which credits they are. */
export interface ReversalOutcome extends Pick<Candidate, 'debit' | 'currency' | 'amount'> {
  taken: TakenBack[];
}

/**
 * Takes the credits back that debits reverse, each once. A credit is taken back only on proof: the debit or its entry has the bank's reference of the
 * credit or its entry and its day, or the UETR is the same, and nothing that both say contradicts. All credits of an entry are taken back by a debit that is proven
 * to be of it in the same way and to which those that still count add up. While one of the possible credits is a suspected repeat, or one of two customers' of which nothing proves which a statement lists, none is taken back without an operator. A payer chooses the EndToEndId freely, so it proves nothing. Debits from
 * earlier reports, whose credits are only reported now, are looked at again. One without proof waits for the operator as any unexplained debit. Every
 * reported debit has an outcome, unless an operator has explained it meanwhile. `debits` are the references of those that take a credit back in a report, which are
 * all looked at, and `documents` its documents.
 */
export async function reverseCredits(
  tx: LedgerTransaction,
  report: { debits: readonly string[]; documents: readonly string[] },
): Promise<ReversalOutcome[]> {
  if (report.debits.length === 0 && report.documents.length === 0) return [];
  const outcomes: ReversalOutcome[] = [];
  const taken = new Set<string>();
  for (const candidate of await findCandidates(tx, report)) {
    const { debit, bookedOn, reason, currency, amount } = candidate;
    // Where several are possible, none is proven.
    const [credits = [], ...others] = candidate.possible.filter((together) => !together.some((credit) => taken.has(credit)));
    const outcome: ReversalOutcome = { debit, currency, amount, taken: [] };
    if (credits.length > 0 && others.length === 0) {
      await lockCredits(tx, credits);
      const waiting = tx.updateTable('bankDebits').where('reference', '=', debit).where('state', '=', 'unexplained');
      const { numUpdatedRows } = await waiting.set({ state: 'reversal', problem: null }).executeTakeFirstOrThrow();
      // An operator has explained it meanwhile.
      if (numUpdatedRows === 0n) continue;
      for (const credit of credits) taken.add(credit);
      outcome.taken = await takeCreditsBack(tx, { debit, amount, credits, reason, bookedOn });
    }
    outcomes.push(outcome);
  }
  return outcomes;
}

async function findCandidates(tx: LedgerTransaction, { debits, documents }: Parameters<typeof reverseCredits>[1]): Promise<Candidate[]> {
  // Mostly none is waiting, and to plan the search for candidates takes several milliseconds of each part of a file.
  const waiting = await sql`select from bank_debits where state = 'unexplained' and takes_back is not null limit 1`.execute(tx);
  if (waiting.rows.length === 0) return [];
  const ofReport = sql`from bank_reports r where r.document = any(${documents}::uuid[])`;
  const isWaiting = sql`d.state = 'unexplained' and d.takes_back is not null`;
  const isEarlier = sql`${isWaiting} and d.reversals_undone = 0 and d.reference <> all(${debits}::text[])`;
  const { rows } = await sql<Candidate>`
    with money as (
      select account, currency, amount ${ofReport}
      union select account, currency, amount from bank_debits where reference = any(${debits}::text[])
    ), entries as (
      select distinct entry_reference as reference ${ofReport} and entry_reference is not null
    ), earlier as (
      select same.reference from money m cross join lateral (
        select d.reference from bank_debits d
        where ${isEarlier} and d.account = m.account and d.currency = m.currency and d.amount = m.amount
        order by d.received_at desc limit ${mostOfSameMoney}
      ) same
      union select d.reference from entries e join bank_debits d on d.reference = e.reference where ${isEarlier}
      union select d.reference from entries e join bank_debits d on d.entry_reference = e.reference where ${isEarlier}
      union select d.reference from entries e join credits c on c.entry_reference = e.reference join bank_debits d on d.uetr = c.uetr::text where ${isEarlier}
    ), waiting as materialized (
      select d.* from bank_debits d where ${isWaiting} and d.reference = any(${debits}::text[])
      union all
      select d.* from earlier join bank_debits d using (reference)
    ), named_references as (
      -- A bank may count anew each day: a number is that of a credit of the debit's day.
      select d.reference as debit, d.booked_on, n.reference from waiting d cross join lateral ${namedByBank} n
    ), named as (
      select n.debit, r.credit from named_references n
        cross join lateral (select credit, booked_on from ${decidedReports} r where reference = n.reference or ${isOfEntry('n.reference')} offset 0) r
      where r.credit is not null and coalesce(r.booked_on = n.booked_on, true)
      union
      select d.reference, r.credit from waiting d join ${decidedReports} r on r.uetr = ${uuidIn('d.uetr')} where r.credit is not null
    ), proven as (
      select n.*, ${isUndecided} as is_undecided from named n join waiting d on d.reference = n.debit join credits c on c.reference = n.credit
      where ${canTakeBack} and not ${contradicts}
    ), named_entries as (
      select debit, reference as entry, booked_on from named_references
      union
      select n.debit, r.entry_reference, r.booked_on from named n join ${decidedReports} r on r.credit = n.credit where r.entry_reference is not null
    ), of_entries as (
      select distinct e.debit, e.entry, r.booked_on, r.credit from named_entries e
        cross join lateral (select booked_on, credit from ${decidedReports} r where ${isOfEntry('e.entry')} offset 0) r
        where r.credit is not null and coalesce(r.booked_on = e.booked_on, true)
    ), batches as (
      select array_agg(c.reference order by c.reference) as credits, e.debit, bool_or${isUndecided} as is_undecided
      from of_entries e join waiting d on d.reference = e.debit join credits c on c.reference = e.credit
      where ${canBeOf}
      group by e.debit, e.entry, e.booked_on
      having count(*) > 1 and min(d.amount) in (sum(c.amount), sum(${bookedAmount})) and count(*) = count(c.amount) and not ${allContradict}
    ), possible as (
      select debit, to_jsonb(array[credit]) as credits, is_undecided from proven
      union select debit, to_jsonb(credits), is_undecided from batches
    )
    select d.reference as debit, d.booked_on, d.takes_back as reason, d.currency, d.amount,
      coalesce((select case when not bool_or(p.is_undecided) then jsonb_agg(p.credits) end from possible p where p.debit = d.reference), '[]') as possible
    from waiting d order by d.received_at, d.reference
  `.execute(tx);
  return rows;
}

/** SQL: whether a report is of the entry with this reference, by the indexes of the references: that of entries has those that differ from their transaction's. */
function isOfEntry(entry: string): RawBuilder<boolean> {
  const reference = sql.ref(entry);
  return sql<boolean>`((reference = ${reference} and entry_reference = reference) or (entry_reference = ${reference} and entry_reference <> reference))`;
}

/** SQL: whether the debit `d` may take the credit `c` back, or a part of it: the same account and currency, not booked later, and not ended or taken back already. */
const mayBeOf = sql<boolean>`(c.bank_account = d.account and c.currency = d.currency
  and coalesce(c.booked_on, d.booked_on) <= d.booked_on and ${canBeReversed}
  and not exists (select from reversals v where v.credit = c.reference and not v.is_part))`;

/**
 * SQL: whether the debit `d` can take the credit `c` back as a whole, alone or with others: nothing of it is taken back already, and nothing of a sum of its entry
 * or of a credit that repeats it.
 */
export const canBeOf = sql<boolean>`(${mayBeOf} and not exists (select from reversals v where v.credit = c.reference)
  and not exists (select from reversals v where v.counts_with = c.reference) and not exists (select from reversals v where v.counts_with = c.entry_reference))`;

/** SQL: whether the debit `d` can take the credit `c` back by itself: it is of the same amount as well, or of what the bank has booked of it. */
export const canTakeBack = sql<boolean>`(d.amount in (c.amount, ${bookedAmount}) and ${canBeOf})`;

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

/** Credits or debits that are named for one debit: enough to compare, few enough to read. */
const mostNamed = 5;

/** How far a credit may lie before the debit that takes it back, for it to be named: a payer can have a payment refunded for 13 months. */
const longestReturnDays = 400;

/**
 * SQL: the credits that the debit `d` names: those with a reference of the bank or the UETR in common, of which it may take several or a part, and those with its
 * EndToEndId and amount.
 */
const namedCredits = sql`(
    select c.* from ${namedByBank} n cross join lateral (select * from credits where entry_reference = n.reference offset 0) c
    union
    select c.* from ${namedByBank} n cross join lateral (select * from credits where reference = n.reference offset 0) c
    union
    select c.* from credits c where c.uetr = ${uuidIn('d.uetr')}
    union
    select c.* from credits c where hashtextextended(c.end_to_end_id, 0) = hashtextextended(d.end_to_end_id, 0) and c.end_to_end_id = d.end_to_end_id
      and c.amount = d.amount and c.booked_on between d.booked_on - ${longestReturnDays}::integer and d.booked_on)`;

/** What a debit that takes a credit back may be: the reversal of these credits, or a further report of these debits. */
export interface PossibleCauses {
  mayTakeBack: string[];
  mayRepeat: string[];
}

/**
 * What debits that take a credit back may be, by their references, each with those of the same amount first. The credits, the latest first, have a reference of the bank or
 * the UETR in common, of which it may take several or a part, or its EndToEndId and amount; another UETR excludes one of the same amount. The earlier debits have the same
 * UETR, or took back a credit which the debit names. Nothing is proven by these lists: an operator decides.
 */
export async function possibleCauses(ledger: Ledger, debits: readonly string[]): Promise<Map<string, PossibleCauses>> {
  if (debits.length === 0) return new Map();
  const { rows } = await sql<PossibleCauses & { debit: string }>`
    select d.reference as debit, array(
      select c.reference from ${namedCredits} c where ${mayBeOf} and c.amount is not null and not (c.amount = d.amount and coalesce(c.uetr::text <> d.uetr, false))
      order by c.amount = d.amount desc, c.booked_on desc nulls last, c.reference limit ${mostNamed}) as may_take_back, array(
      select o.reference from (
        select o.* from bank_debits o where o.uetr = d.uetr
        union
        select o.* from ${namedCredits} c
          cross join lateral (select debit from reversals where credit in (c.reference, c.repeats) or counts_with = c.reference offset 0) v
          join bank_debits o on o.reference = v.debit
      ) o
      where o.reference <> d.reference and o.account = d.account and o.currency = d.currency and o.amount >= d.amount
        and (o.state in ('payment', 'reversal') or (o.state = 'explained' and o.explained_as <> 'repeat-of')
          or (o.state = 'unexplained' and (o.received_at, o.reference) < (d.received_at, d.reference)))
      order by o.amount = d.amount desc, o.received_at, o.reference limit ${mostNamed}) as may_repeat
    from bank_debits d where d.reference = any(${debits}::text[]) and d.takes_back is not null
  `.execute(ledger);
  return new Map(rows.map(({ debit, ...causes }) => [debit, causes]));
}
