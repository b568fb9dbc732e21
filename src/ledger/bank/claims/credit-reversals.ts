import { sql } from 'kysely';
import type { MinorUnits } from '../../../platform/money.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { decidedReports } from '../bank-reports.ts';
import { lockCredits } from './locked-credit.ts';
import { allContradict, canBeOf, canTakeBack, contradicts, isUndecided, namedByBank, uuidIn } from './possible-reversals.ts';
import { type TakenBack, takeCreditsBack } from './taken-back.ts';

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
      outcome.taken = await takeCreditsBack(tx, { debit, credits, reason, bookedOn });
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
        cross join lateral (select credit, booked_on from ${decidedReports} r where reference = n.reference or entry_reference = n.reference offset 0) r
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
        cross join lateral (select booked_on, credit from ${decidedReports} r where entry_reference = e.entry offset 0) r
        where r.credit is not null and coalesce(r.booked_on = e.booked_on, true)
    ), batches as (
      select array_agg(c.reference order by c.reference) as credits, e.debit, bool_or${isUndecided} as is_undecided
      from of_entries e join waiting d on d.reference = e.debit join credits c on c.reference = e.credit
      where ${canBeOf}
      group by e.debit, e.entry, e.booked_on
      having count(*) > 1 and sum(c.amount) = min(d.amount) and count(*) = count(c.amount) and not ${allContradict}
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
