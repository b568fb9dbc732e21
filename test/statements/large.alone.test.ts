import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { importBankFile } from '../../src/statements/import-file.ts';
import { largeStatement } from '../bank/iso20022/camt/large-statement.ts';
import { masterIban } from '../bank/iso20022/camt/statement-xml.ts';
import { bytes, contents, createTestRail, creditOptions, manyPayments } from './bank-rail.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

// A chunk of 500 credits is about 2 MB with its SQL; all lines over one amount are decided together, and take 3 kB each.
const megabytes = 8;

test.each([
  ['a customer', true],
  ['nobody', false],
])('3,000 entries to %s are imported in bounded memory', async (_, isOurs) => {
  const rail = await createTestRail();
  if (isOurs) await rail.ledger.updateTable('ibans').set({ iban: masterIban }).execute();
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  const report = await rail.import('', {
    chunks: largeStatement(3_000),
    onProgress() {
      collectGarbage();
      most = Math.max(most, process.memoryUsage().heapUsed - before);
    },
  });
  expect(report.counts).toMatchObject({ entries: 3_000, [isOurs ? 'issued' : 'unmatched']: 3_000 });
  expect(most).toBeLessThan(megabytes * 1024 * 1024);
  expect((await contents(rail.ledger)).counts).toEqual(isOurs ? [3_000, 3_000, 3_000] : [0, 0, 0]);
  await rail.close();
});

test('reads no table from end to end, though the planner knows nothing of it before the commit', async () => {
  const rail = await createTestRail();
  const { ledger, customer } = rail;
  // The first statement of an account opens it in the book, which compares it with all that was booked before.
  await rail.import({ id: 'S0', day: '2026-11-19' });
  const read = await inTransaction(ledger, async (tx) => {
    const chunks = bytes(manyPayments(customer.iban, 600, { EndToEndId: 'RENT' }));
    await importBankFile(tx, { name: 'statement.xml', chunks, options: creditOptions });
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_stat_xact_user_tables where seq_tup_read > 400 order by 1`.execute(tx);
    return rows.map(({ name }) => name);
  });
  expect(read).toEqual([]);
  await rail.close();
});
