import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { loadSettings } from '../../src/platform/settings.ts';
import { masterIban } from '../bank/iso20022/camt/statement-xml.ts';
import { payment, testRail } from './bank-rail.ts';

const rail = testRail();
const settings = { settings: loadSettings({ DATABASE_URL: 'postgres://', BANK_ACCOUNT: masterIban }) };
const history = 20_000;

/** Rows of reports that were read by any index. */
async function rowsRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(rail.ledger);
  await sql`select 1`.execute(rail.ledger);
  const { rows } = await sql<{ read: number }>`
    select sum(idx_tup_read)::integer as read from pg_stat_all_indexes where relname = 'bank_reports'
  `.execute(rail.ledger);
  return rows[0]?.read ?? 0;
}

it('a file costs as much as the days near it, also where years of payments and batches were over its amounts before charges', async () => {
  const transactions = [payment(rail.customer.iban, '10.00', { charges: '0.10' })];
  await rail.import(
    { id: 'OLD', day: '2022-01-03', opening: '0', closing: '9.90', entries: [{ amount: '9.90', bookedOn: '2022-01-03', transactions }] },
    settings,
  );
  // Half of them in batches over the same amount.
  await sql`
    insert into bank_reports (document, entry, line, account, currency, amount, charges, entry_total, entry_charges, entry_count, is_sum, facts, booked_on, number, reference)
    select document, entry, line, account, currency, amount, 10, 990, 10, 1 + n % 2, false, facts, date '2020-01-01' + (n % 700), 'H' || n, 'H' || n
    from bank_reports cross join generate_series(1, ${history}::integer) n
  `.execute(rail.ledger);
  await sql`analyze`.execute(rail.ledger);
  const before = await rowsRead();
  const ofDay = { amount: '10.00', bookedOn: '2026-11-20' };
  const batch = { ...ofDay, batch: '2', reference: 'SUM' };
  const single = { ...ofDay, reference: 'ONE', transactions: [payment(rail.customer.iban, '10.00')] };
  await rail.import({ id: 'N', message: 'camt.054', entries: [batch, single] }, settings);
  expect((await rowsRead()) - before).toBeLessThan(history / 10);
});
