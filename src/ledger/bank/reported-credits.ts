import { sql } from 'kysely';
import { RetryError } from '../../platform/errors.ts';
import type { MinorUnits } from '../../platform/money.ts';
import type { LedgerTransaction } from '../ledger.ts';
import type { CreditState } from '../tables.ts';

/** A credit that an earlier report left in the ledger, as far as a new report of the same money is measured by it. */
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
}

/** What is left of an unmatched credit once a better report of (some of) the same money is there: nothing when `null`. */
export interface ReplacedCredit {
  reference: string;
  remaining: MinorUnits | null;
}

/** A credit that turns out to be part of an entry. */
export interface LinkedCredit {
  reference: string;
  entryReference: string;
  entryAmount: MinorUnits | undefined;
}

/** The credits under these references, and those reported within the entries of these references. */
export async function findReportedCredits(tx: LedgerTransaction, references: readonly string[]): Promise<ReportedCredit[]> {
  const { rows } = await sql<Omit<ReportedCredit, 'entryAmount'> & { entryAmount: string | null }>`
    select reference, entry_reference, entry_amount::text, is_sum, state, amount, currency, iban,
      rail_reason
    from credits where reference = any(${references}::text[]) or entry_reference = any(${references}::text[])
    order by received_at, reference
  `.execute(tx);
  return rows.map((row) => Object.assign(row, { entryAmount: row.entryAmount === null ? null : BigInt(row.entryAmount) }));
}

/**
 * Takes money out of unmatched credits whose transactions are about to be recorded instead. One of which nothing is left
 * is `replaced`, and gives its reference free. Throws `credit_changed` when an operator was quicker with one of them.
 */
export async function replaceCredits(tx: LedgerTransaction, replaced: readonly ReplacedCredit[]): Promise<void> {
  if (replaced.length === 0) return;
  const given = JSON.stringify(replaced.map(({ reference, remaining }) => ({ reference, remaining: remaining?.toString() ?? null })));
  const { rows } = await sql<{ reference: string }>`
    with given as (select * from jsonb_to_recordset(${given}::jsonb) as g(reference text, remaining bigint))
    update credits c set
      reference = case when g.remaining is null then c.reference || '#' || case when c.is_sum then 'sum-' else '' end || coalesce(c.rail_reason, 'replaced')
        else c.reference end,
      state = case when g.remaining is null then 'replaced' else c.state end,
      amount = coalesce(g.remaining, c.amount)
    from given g where c.reference = g.reference and c.state = 'unmatched'
    returning c.reference
  `.execute(tx);
  if (rows.length === replaced.length) return;
  throw new RetryError({
    code: 'credit_changed',
    message: `One of the credits ${replaced.map(({ reference }) => reference).join(', ')} was returned or matched just now. Import the file again.`,
  });
}

/** Records which entry credits are part of, so that a report of its sum recognises them. */
export async function linkCredits(tx: LedgerTransaction, linked: readonly LinkedCredit[]): Promise<void> {
  if (linked.length === 0) return;
  const given = JSON.stringify(
    linked.map(({ reference, entryReference, entryAmount }) => ({ reference, entryReference, entryAmount: entryAmount?.toString() })),
  );
  await sql`
    with given as (
      select * from jsonb_to_recordset(${given}::jsonb) as g(reference text, "entryReference" text, "entryAmount" numeric)
    )
    update credits c set entry_reference = g."entryReference", entry_amount = g."entryAmount" from given g where c.reference = g.reference
  `.execute(tx);
}
