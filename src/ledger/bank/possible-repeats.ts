import { sql } from 'kysely';
import type { LedgerTransaction } from '../ledger.ts';
import type { NewCredit } from './match-credits.ts';
import { type ReportedCredit, reportedColumns, type ReportedCreditRow, toReportedCredit } from './reported-credits.ts';

/** Money whose UETR or EndToEndId another report may have, under another reference. */
export interface SoughtMoney {
  credit: NewCredit;
  /** The IBANs that another report may have credited; undefined for any. */
  ibans: string[] | undefined;
}

/**
 * Candidates for each sought credit and way of looking. More share UETR or EndToEndId, amount, day, payer and IBAN only where these
 * identify nothing; the lookup stays short then, too.
 */
const mostCandidates = 32;

/**
 * The recorded credits that have the UETR of one of these, or its EndToEndId, amount and day with a payer and IBAN that do not rule it out;
 * each with all that repeat it. The caller compares them. Reads by index, in one query, whatever the planner knows of the table.
 */
export async function findPossibleRepeats(tx: LedgerTransaction, sought: readonly SoughtMoney[]): Promise<ReportedCredit[]> {
  const identified = sought.filter(({ credit }) => credit.uetr !== undefined || credit.endToEndId !== undefined);
  if (identified.length === 0) return [];
  const { rows } = await sql<ReportedCreditRow>`
    with sought as (
      select g.*, array(select hashtextextended(p, 0) from unnest(array[g.account, upper(left(g.name, 35)), '']) p where p is not null) as payers
      from jsonb_to_recordset(${JSON.stringify(identified.map(toRow))}::jsonb)
        as g(uetr uuid, end_to_end_id text, booked_on date, amount bigint, account text, name text, ibans text[])
    ), roots as (
      select distinct case c.state when 'repeated' then c.repeats else c.reference end as reference
      from sought g cross join lateral (
        (select c.state, c.repeats, c.reference from credits c where c.uetr = g.uetr limit ${mostCandidates})
        union all
        (select c.state, c.repeats, c.reference from credits c
          where ${sameEndToEndId} and ${payerHash} = any(g.payers) and c.iban = any(g.ibans) limit ${mostCandidates})
        union all
        (select c.state, c.repeats, c.reference from credits c
          where ${sameEndToEndId} and ${payerHash} = any(g.payers) and g.ibans is null limit ${mostCandidates})
        union all
        (select c.state, c.repeats, c.reference from credits c
          where ${sameEndToEndId} and g.account is null limit ${mostCandidates})
      ) c
    ), reports as (
      select ${reportedColumns}, c.received_at from roots r cross join lateral (select * from credits where reference = r.reference limit 1) c
      union all
      select ${reportedColumns}, c.received_at from roots r cross join lateral (select * from credits where repeats = r.reference offset 0) c
      where c.state = 'repeated'
    )
    select c.* from reports c where c.state <> 'replaced' order by c.received_at, c.reference
  `.execute(tx);
  return rows.map(toReportedCredit);
}

/** SQL, as the index `credits_end_to_end` has it. */
const sameEndToEndId = sql`c.end_to_end_id is not null and hashtextextended(c.end_to_end_id, 0) = hashtextextended(g.end_to_end_id, 0)
  and c.booked_on = g.booked_on and c.amount = g.amount`;
const payerHash = sql`hashtextextended(coalesce(c.payer ->> 'iban', c.payer ->> 'accountNumber', upper(left(c.payer ->> 'name', 35)), ''), 0)`;

function toRow({ credit, ibans }: SoughtMoney) {
  return {
    uetr: credit.uetr,
    end_to_end_id: credit.endToEndId,
    booked_on: credit.bookedOn,
    amount: credit.amount?.toString(),
    account: credit.payer.iban ?? credit.payer.accountNumber,
    name: credit.payer.name,
    ibans,
  };
}
