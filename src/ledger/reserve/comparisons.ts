import { sql } from 'kysely';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';
import { type DifferenceRow, type KnownDifferences, knownDifferences } from './breaches.ts';
import { type Comparison, type ComparisonSubject, readItems } from './comparison.ts';

/** The newest result of a comparison. */
export interface RecordedComparison extends Comparison {
  comparedAt: Date;
}

/**
 * Records results of comparisons, at least one, each in the place of the result before. What a comparison of a network has no result of any more, such as a bank
 * account that was removed, is forgotten; but not the `lasting` subjects, which may be without a result for a while. Returns what is known of all
 * differences, by the same statement.
 */
export async function recordComparisons(
  ledger: Ledger,
  comparisons: readonly Comparison[],
  lasting: readonly ComparisonSubject[] = [],
): Promise<KnownDifferences> {
  const kept = JSON.stringify(lasting);
  const input = JSON.stringify(comparisons, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  const { rows } = await sql<DifferenceRow>`
    with results as (
      select * from jsonb_to_recordset(${input}::jsonb) as c(
        comparison text, currency text, account text, chain text, expected numeric, actual numeric, items jsonb, difference numeric)
    ), forgotten as (
      delete from comparisons c
      where exists (select from results r where r.comparison = c.comparison and r.chain = c.chain)
        and not exists (select from results r where r.comparison = c.comparison and r.currency = c.currency and r.account = c.account)
        and not exists (
          select from jsonb_to_recordset(${kept}::jsonb) as k(comparison text, currency text, account text)
          where k.comparison = c.comparison and k.currency = c.currency and k.account = c.account)
    ), recorded as (
      insert into comparisons (comparison, currency, account, chain, expected, actual, items, difference)
      select comparison, currency, account, chain, expected, actual, items, difference from results
      order by comparison, currency, account
      on conflict (comparison, currency, account) do update set chain = excluded.chain, expected = excluded.expected, actual = excluded.actual,
        items = excluded.items, difference = excluded.difference, compared_at = now()
    )
    select comparison, currency, account, chain, difference, acknowledged_at from reserve_breaches
    where acknowledged_at is null or ended_at is null
  `.execute(ledger);
  return knownDifferences(rows);
}

/** The newest result of each comparison, by comparison, currency and account. */
export async function listComparisons(ledger: Ledger): Promise<RecordedComparison[]> {
  const rows = await ledger.selectFrom('comparisons').orderBy('comparison').orderBy('currency').orderBy('account').selectAll().execute();
  return rows.map(({ expected, actual, difference, items, ...row }) =>
    Object.assign(row, {
      expected: toAmount(expected),
      actual: toAmount(actual),
      difference: toAmount(difference),
      items: readItems(items),
    }),
  );
}

function toAmount(text: string): MinorUnits {
  return minorUnits(BigInt(text));
}
