import { sql } from 'kysely';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { until } from './until.ts';

/** Waits until so many connections to the test's database wait for others' locks. */
export async function untilWaiting(ledger: Ledger, count = 1): Promise<void> {
  await until(`${count} wait for a lock`, async () => {
    const { rows } = await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      ledger,
    );
    return rows.length >= count || undefined;
  });
}
