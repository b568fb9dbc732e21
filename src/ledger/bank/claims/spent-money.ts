import { sql } from 'kysely';
import { formatAmount, type MinorUnits } from '../../../platform/money.ts';
import { explanationWrong } from '../debits/debit-explanation.ts';
import { inputRows } from '../../input-rows.ts';
import type { LedgerTransaction } from '../../ledger.ts';

/**
 * Throws `bad_input` when a debit would take more back than there is: of each credit together with the reports that repeat it, and of each entry together with a sum
 * that its transactions replaced or reduced after a part of it was taken back. `amount` is what it takes of a credit, as a whole or in part. The caller has locked the
 * credits. What was taken back of such sums is locked here, so that two operators do not take the same money back by two credits.
 */
export async function assertLeft(tx: LedgerTransaction, taken: readonly { reference: string; amount: MinorUnits }[]): Promise<void> {
  const input = inputRows(taken, 'reference text, amount bigint');
  await sql`
    with named as (select c.* from ${input} t join credits c on c.reference = t.reference)
    select from reversals where counts_with in (select reference from named union select entry_reference from named) order by reference for update
  `.execute(tx);
  const { rows } = await sql<{ name: string; left: MinorUnits }>`
    with named as (
      select c.reference, c.entry_reference, c.amount, t.amount as taken from ${input} t join credits c on c.reference = t.reference
    ), of_credits as (
      select n.reference, n.taken, n.amount - coalesce(
        (select sum(v.amount) from reversals v where v.credit = n.reference or v.counts_with = n.reference), 0) as left
      from named n
    ), entries as (
      select n.entry_reference as entry, sum(n.taken) as taken from named n
      where exists (select from reversals v where v.counts_with = n.entry_reference) group by n.entry_reference
    ), counting as (
      select e.entry, c.reference, c.amount, c.entry_amount from entries e join credits c on c.entry_reference = e.entry
      where c.state not in ('replaced', 'repeated')
    ), parts as (
      select e.entry, v.reference, v.amount from entries e join reversals v on v.counts_with = e.entry
      union
      select c.entry, v.reference, v.amount from counting c join reversals v on v.credit = c.reference or v.counts_with = c.reference
    ), of_entries as (
      select e.entry, e.taken, (select least(sum(c.amount), max(c.entry_amount)) from counting c where c.entry = e.entry)
        - (select sum(p.amount) from parts p where p.entry = e.entry) as left
      from entries e
    )
    select 'the credit ' || reference as name, greatest(c.left, 0)::bigint as left from of_credits c where taken > c.left
    union all
    select 'the entry ' || entry, greatest(e.left, 0)::bigint from of_entries e where taken > e.left
  `.execute(tx);
  const [spent] = rows;
  if (spent !== undefined) throw explanationWrong(`${formatAmount(spent.left)} of ${spent.name} are not taken back yet`);
}
