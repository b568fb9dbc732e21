import { sql } from 'kysely';
import type { MinorUnits } from '../../../platform/money.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { canTakeBack, contradicts, uuidIn } from './possible-reversals.ts';
import { type ReversalEffect, takeCreditBack } from './taken-back.ts';

/** What became of a debit that takes a credit back. */
export interface ReversalOutcome {
  debit: string;
  currency: string;
  amount: MinorUnits;
  /** The credit, its order, and what was done; undefined while it is not known which credit it is. */
  found: { credit: string; orderId: string | null; effect: ReversalEffect } | undefined;
}

/** The money that a report is about. */
export interface ReportedMoney {
  account: string;
  currency: string;
  amount: MinorUnits;
}

/** What a report says that matters for reversals. */
export interface ReversalReport {
  /** References of the debits in it that take a credit back. All of them are looked at. */
  debits: readonly string[];
  /** The credits in it: debits from earlier reports may take these back. */
  credits: readonly ReportedMoney[];
}

/** Debits from earlier reports over the same money that are looked at again, the newest. The older ones wait for an operator. */
const mostOfSameMoney = 500;

interface Candidate {
  debit: string;
  currency: string;
  amount: MinorUnits;
  bookedOn: string;
  reason: string;
  credits: string[];
}

/**
 * Takes the credits back that debits reverse, each once. A credit is taken back only on proof: the debit or its entry has the bank's reference of the
 * credit or its entry, or the UETR is the same, and nothing that both say contradicts. A payer chooses the EndToEndId freely, so it proves nothing.
 * Debits from earlier reports, whose credits are only reported now, are looked at again. One without a single proven credit waits for the operator
 * as any unexplained debit. Every reported debit has an outcome, unless an operator has explained it meanwhile.
 */
export async function reverseCredits(tx: LedgerTransaction, report: ReversalReport): Promise<ReversalOutcome[]> {
  if (report.debits.length === 0 && report.credits.length === 0) return [];
  const outcomes: ReversalOutcome[] = [];
  const taken = new Set<string>();
  for (const { debit, bookedOn, reason, currency, amount, credits } of await findCandidates(tx, report)) {
    const open = credits.filter((credit) => !taken.has(credit));
    const [credit] = open;
    if (credit === undefined || open.length > 1) {
      outcomes.push({ debit, currency, amount, found: undefined });
      continue;
    }
    taken.add(credit);
    const effect = await takeCreditBack(tx, { debit, credit, reason, bookedOn });
    await tx
      .updateTable('bankDebits')
      .set({ state: 'reversal', reversedCredit: credit, problem: null })
      .where('reference', '=', debit)
      .where('state', '=', 'unexplained')
      .execute();
    const { orderId } = await tx.selectFrom('credits').where('reference', '=', credit).select('orderId').executeTakeFirstOrThrow();
    outcomes.push({ debit, currency, amount, found: { credit, orderId, effect } });
  }
  return outcomes;
}

async function findCandidates(tx: LedgerTransaction, { debits, credits }: ReversalReport): Promise<Candidate[]> {
  const money = JSON.stringify(credits.map(({ account, currency, amount }) => ({ account, currency, amount: amount.toString() })));
  const { rows } = await sql<Candidate>`
    with money as (
      select account, currency, amount from jsonb_to_recordset(${money}::jsonb) as m(account text, currency text, amount bigint)
      union select account, currency, amount from bank_debits where reference = any(${debits}::text[])
    ), waiting as materialized (
      select * from bank_debits where state = 'unexplained' and takes_back is not null and reference = any(${debits}::text[])
      union all
      select before.* from money m cross join lateral (
        select * from bank_debits d
        where d.state = 'unexplained' and d.takes_back is not null and d.reversals_undone = 0 and d.account = m.account and d.currency = m.currency and d.amount = m.amount
          and d.reference <> all(${debits}::text[])
        order by d.received_at desc limit ${mostOfSameMoney}
      ) before
    ), named as (
      select d.reference as debit, c.reference as known from waiting d join credits c on c.reference = d.reference
      union
      select d.reference, c.reference from waiting d join credits c on c.reference = d.entry_reference
      union
      select d.reference, c.reference from waiting d join credits c on c.entry_reference = d.entry_reference
      union
      select d.reference, c.reference from waiting d join credits c on c.uetr = ${uuidIn('d.uetr')}
    ), counted as (
      -- The money of a repeated report counts under the credit that it repeats.
      select distinct n.debit, case c.state when 'repeated' then c.repeats else c.reference end as credit
      from named n join credits c on c.reference = n.known
    ), proven as (
      select n.* from counted n join waiting d on d.reference = n.debit join credits c on c.reference = n.credit
      where ${canTakeBack} and not ${contradicts}
    )
    select d.reference as debit, d.booked_on::text as booked_on, d.takes_back as reason, d.currency, d.amount,
      coalesce((select array_agg(p.credit order by p.credit) from proven p where p.debit = d.reference), '{}') as credits
    from waiting d order by d.received_at, d.reference
  `.execute(tx);
  return rows;
}
