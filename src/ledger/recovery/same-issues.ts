import { type RawBuilder, sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import { creditOrderId, generationOfCreditOrder } from '../derived-ids.ts';
import type { Ledger } from '../ledger.ts';
import { restReference } from '../bank/derived-references.ts';
import type { LegState } from '../../schema/states.ts';

/** How far the days of two reports of one money may lie apart, and of those that are taken for each other. */
const daysOfOneMoney = 10;

/** An open issue leg over what an outcome has issued: the same account, chain, currency and amount, before or after charges. */
export interface SameIssue {
  outcome: string;
  orderId: string;
  state: LegState;
}

/** SQL: whether the issue leg `l` is over the amount of the outcome `u`, or both are over an amount before or after the charges that a report of its credit names. */
export const isSameAmount = sql<boolean>`(l.amount = u.amount or exists (
  select from credits c join report_money m on m.credit = c.reference join bank_reports r on r.id = m.report
  where c.order_id = l.order_id and c.amount = l.amount and not r.is_sum and l.amount in (r.amount, r.amount + r.charges, r.amount - r.charges)
    and u.amount in (r.amount, r.amount + r.charges, r.amount - r.charges)))`;

/** SQL: whether the issue leg `l` is for what the outcome `u` has issued. A leg that was tried again after a refusal is not for what is as old. */
const isSameIssue = sql`l.kind = 'issue' and l.chain = u.chain and l.currency = u.currency and l.account = u.account and ${isSameAmount}
  and coalesce(u.block_number > l.after_block, true)`;

/**
 * SQL: whether an operator has to decide about the outcome `u`: it is open, or was set aside before its order waited for an issue. Such an issue waits, because
 * only the operator knows whether it is the outcome.
 */
export const isUndecided = sql<boolean>`(u.state = 'open' or (u.state = 'set_aside' and u.kind = 'issue' and exists (
  select from open_legs l where l.order_id = u.order_id and l.kind = 'issue' and l.state = 'ready' and l.created_at > u.decided_at)))`;

/** SQL: whether no leg but `l` has the number of the outcome `u`, save legs that have not used it and get another. */
export const isNumberFree = sql`not exists (
  select from legs other
  where other.chain = u.chain and other.token = u.token and other.sequence = u.sequence and other.id <> l.id and other.state <> 'ready')`;

/**
 * SQL: the open issues on a chain, in the columns `(id, block_number, refused, leg_id)`, whose order id is derived of another report of a credit than
 * the one of which this ledger has made its order. A bank reports one payment under several references; which one becomes the order is decided by
 * the order of the files. Other reports are those over its amount near its day, of the same customer as the account shows, and the entry itself where the credit is
 * all of it. Each outcome is for one leg at most. One before or after its charges is left to an operator.
 */
export function issuesOfOtherReports(chain: Chain): RawBuilder<unknown> {
  return sql`
    select u.id, u.block_number, u.refused, l.id as leg_id
    from unrecorded_outcomes u cross join lateral (
      select l.id
      from open_legs l join credits c on c.order_id = l.order_id
      cross join lateral (select ${generationOfCreditOrder('c.reference', 'c.order_id')} as number) generation
      where l.state = 'ready' and l.amount = u.amount and ${isSameIssue} and ${isNumberFree} and exists (
        select from (
          select r.reference from credits r where r.repeats = c.reference and r.state = 'repeated'
          union all
          select unnest(array[o.reference, o.reference || '~' || o.booked_on]) || case when c.rest_of is null then '' else ${restReference('')} end from report_money m join bank_reports r on r.id = m.report join bank_reports o on o.account = r.account
            and o.amount = r.amount and o.currency = r.currency and abs(o.booked_on - r.booked_on) <= ${daysOfOneMoney}
          where m.credit = coalesce(c.rest_of, c.reference)
          union all
          select c.entry_reference where c.entry_amount = c.amount
        ) report
        where u.order_id = ${creditOrderId(sql.ref('report.reference'), sql.ref('generation.number'))})
      order by l.id limit 1
    ) l
    where u.chain = ${chain} and u.kind = 'issue' and u.state <> 'applied' and not exists (select from orders o where o.id = u.order_id)`;
}

/** The first open leg over the same issue for each of these outcomes that has one; those that were refused have issued nothing and have none. */
export async function findSameIssues(ledger: Ledger, outcomes: readonly string[]): Promise<SameIssue[]> {
  if (outcomes.length === 0) return [];
  const { rows } = await sql<SameIssue>`
    select u.id as outcome, l.order_id, l.state
    from unrecorded_outcomes u cross join lateral (
      select l.order_id, l.state from open_legs l where ${isSameIssue} order by l.amount <> u.amount, l.id limit 1
    ) l
    where u.id = any(${[...outcomes]}::uuid[]) and u.kind = 'issue' and u.state <> 'applied' and u.refused is null
    order by u.block_number, u.id
  `.execute(ledger);
  return rows;
}
