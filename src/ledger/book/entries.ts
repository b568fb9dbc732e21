import { type RawBuilder, sql } from 'kysely';
import type { MinorUnits } from '../../platform/money.ts';
import type { LedgerTransaction } from '../ledger.ts';

/** Why entries are made; docs/book.md says what each debits and credits. */
export const entryKinds = [
  'opening',
  'credit',
  'credit-replaced',
  'credit-repeated',
  'credit-returned',
  'credit-reversed',
  'match',
  'issued',
  'issue-refused',
  'redeemed',
  'payment-sent',
  'payment-refused',
  'payment-booked',
  'payment-came-back',
  'added-by-operator',
  'credit-settled',
  'reversal-undone',
  'claim-void',
  'claim-written-off',
  'return-refused',
  'unknown-debit',
  'debit-replaced',
  'explained',
  'breach-booked',
] as const;
/** Why an entry was made. */
type EntryKind = (typeof entryKinds)[number];

/** Money that moves from one account of the book to another. */
export interface NewEntry {
  kind: EntryKind;
  /** What caused it; one entry of a kind for each source. */
  source: string;
  /** The bank's booking day, `YYYY-MM-DD`; today, in UTC, for what no bank books. */
  bookedOn?: string | undefined;
  /** Names of accounts: the first is debited, the second credited. */
  debit: string;
  credit: string;
  currency: string;
  /** Minor units, more than zero. */
  amount: MinorUnits;
}

/**
 * SQL: CTEs of a statement that book the rows of `rows`, each as one entry with two postings. Its columns are those of
 * {@link NewEntry}: `kind`, `source`, `booked_on` (date, may be null), `debit`, `credit`, `currency`, `amount`. A statement can use it once.
 * The statement fails with a unique violation when an entry of the kind and source exists already.
 */
export function bookEntries(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    entry_rows as materialized (
      select uuidv7() as entry, r.kind, r.source, coalesce(r.booked_on, (now() at time zone 'utc')::date) as booked_on,
        r.debit, r.credit, r.currency, r.amount
      from (${rows}) r
    ), entries_added as (
      insert into entries (id, kind, source, booked_on) select entry, kind, source, booked_on from entry_rows
    ), postings_added as (
      insert into postings (entry, position, account, currency, amount, booked_on)
      select e.entry, p.position, p.account, e.currency, p.amount, e.booked_on
      from entry_rows e cross join lateral (values (0, e.debit, e.amount), (1, e.credit, -e.amount)) p(position, account, amount)
    )`;
}

/** Books entries in one statement. Throws a unique violation when one of a kind and source exists already. */
export async function recordEntries(tx: LedgerTransaction, entries: readonly NewEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const input = JSON.stringify(
    entries.map(({ bookedOn, amount, ...entry }) => ({ ...entry, booked_on: bookedOn, amount: amount.toString() })),
  );
  await sql`
    with ${bookEntries(sql`
      select * from jsonb_to_recordset(${input}::jsonb) as e(
        kind text, source text, booked_on date, debit text, credit text, currency text, amount bigint)`)}
    select`.execute(tx);
}
