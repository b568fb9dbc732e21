import { sql } from 'kysely';
import type { Party } from '../../bank/credit.ts';
import { RetryError } from '../../platform/errors.ts';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import { accounts, bankAccountIn } from '../book/accounts.ts';
import { bookEntries } from '../book/entries.ts';
import type { LedgerTransaction } from '../ledger.ts';
import type { CreditState } from '../../schema/states.ts';
import { replacedReference, sourceOf } from './derived-references.ts';

/** A credit in the ledger from an earlier report, with what a new report of the same money is compared with. */
export interface ReportedCredit {
  reference: string;
  entryReference: string | null;
  entryAmount: MinorUnits | null;
  isSum: boolean;
  state: CreditState;
  amount: MinorUnits | null;
  currency: string | null;
  iban: string | null;
  railReason: string | null;
  bankAccount: string;
  payer: Party;
  endToEndId: string | null;
  uetr: string | null;
  /** `YYYY-MM-DD`. */
  bookedOn: string | null;
  /** The kind of the message that reported it; null when it is not known. */
  message: string | null;
  /** The credit whose money this is, when it is `repeated`; or may be, when it is unmatched. */
  repeats: string | null;
}

/** What remains of an unmatched credit after a more detailed report of the same money: `null` when nothing remains. */
export interface ReplacedCredit {
  reference: string;
  remaining: MinorUnits | null;
}

/** A credit and the entry that it turned out to be part of. */
export interface LinkedCredit {
  reference: string;
  entryReference: string;
  entryAmount: MinorUnits | undefined;
}

/**
 * The credits with these references, each named once, and those in entries with these references. Looks each up by its index, whatever the planner
 * knows of the table: before the commit of a large file it takes few rows for many, and would read the table from end to end.
 */
export async function findReportedCredits(tx: LedgerTransaction, references: readonly string[]): Promise<ReportedCredit[]> {
  const { rows } = await sql<ReportedCreditRow>`
    select ${reportedColumns} from (
      select c.* from unnest(${references}::text[]) as k(key) cross join lateral (select * from credits where reference = k.key limit 1) c
      union all
      select c.* from unnest(${references}::text[]) as k(key) cross join lateral (select * from credits where entry_reference = k.key offset 0) c
      where c.reference <> all(${references}::text[])
    ) c order by received_at, reference
  `.execute(tx);
  return rows.map(toReportedCredit);
}

/** SQL: the columns of `credits c` that a {@link ReportedCreditRow} has. */
export const reportedColumns = sql`c.reference, c.entry_reference, c.entry_amount::text, c.is_sum, c.state, c.amount, c.currency, c.iban,
  c.rail_reason, c.bank_account, c.payer, c.end_to_end_id, c.uetr, c.booked_on::text, c.message, c.repeats`;

/** A reported credit as the database gives it. */
export type ReportedCreditRow = Omit<ReportedCredit, 'entryAmount'> & { entryAmount: string | null };

/** Entry amounts can exceed the range of an amount. */
export function toReportedCredit(row: ReportedCreditRow): ReportedCredit {
  return Object.assign(row, { entryAmount: row.entryAmount === null ? null : minorUnits(BigInt(row.entryAmount)) });
}

/**
 * Reduces unmatched credits by the transactions that will be recorded instead of them. One of which nothing remains becomes `replaced`, and gets
 * another reference. Throws `credit_changed` when an operator has matched or returned one of them in the meantime.
 */
export async function replaceCredits(tx: LedgerTransaction, replaced: readonly ReplacedCredit[]): Promise<void> {
  if (replaced.length === 0) return;
  const input = JSON.stringify(replaced.map(({ reference, remaining }) => ({ reference, remaining: remaining?.toString() ?? null })));
  const { rows } = await sql<{ reference: string }>`
    with input as (select * from jsonb_to_recordset(${input}::jsonb) as g(reference text, remaining bigint)), locked as (
      select c.reference, c.amount as before, g.remaining from credits c join input g on g.reference = c.reference
      where c.state = 'unmatched' for update of c
    ), reduced as (
    update credits c set
      reference = case when l.remaining is null then ${replacedReference('credits', 'c.reference')} else c.reference end,
      state = case when l.remaining is null then 'replaced' else c.state end,
      amount = coalesce(l.remaining, c.amount),
      replaced_from = case when l.remaining is null then c.reference end
    from locked l where c.reference = l.reference and c.state = 'unmatched'
    returning l.reference, c.entry_reference, l.before, coalesce(l.remaining, 0) as remaining, c.bank_account, c.booked_on, c.currency
    ), parts as (
      -- What was taken back of it is taken back of the money that replaces it.
      update reversals v set counts_with = coalesce(c.entry_reference, c.reference) from reduced c where v.credit = c.reference
    ), ${bookEntries(sql`
      select 'credit-replaced' as kind, ${sourceOf('credits', 'c.reference')} || '#left-' || c.remaining as source, c.booked_on,
        ${accounts.suspense} as debit, ${bankAccountIn('c.bank_account')} as credit, c.currency, c.before - c.remaining as amount
      from reduced c where c.currency is not null and c.before > c.remaining`)}
    select reference from reduced
  `.execute(tx);
  if (rows.length < replaced.length) throw changedCredit(replaced.map(({ reference }) => reference));
}

/** Why a file is not applied whose effect an operator has changed in the meantime: `credit_changed`. */
export function changedCredit(references: readonly string[]): RetryError {
  const message = `One of the credits ${references.join(', ')} was returned or matched just now. Import the file again.`;
  return new RetryError({ code: 'credit_changed', message });
}

/** Records the entries that credits are part of, so that a later report of an entry's sum recognises them. */
export async function linkCredits(tx: LedgerTransaction, linked: readonly LinkedCredit[]): Promise<void> {
  if (linked.length === 0) return;
  const input = JSON.stringify(
    linked.map(({ reference, entryReference, entryAmount }) => ({ reference, entryReference, entryAmount: entryAmount?.toString() })),
  );
  await sql`
    with input as (
      select * from jsonb_to_recordset(${input}::jsonb) as g(reference text, "entryReference" text, "entryAmount" numeric)
    )
    update credits c set entry_reference = g."entryReference", entry_amount = g."entryAmount" from input g where c.reference = g.reference
  `.execute(tx);
}
