import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { largeStatement } from '../bank/iso20022/camt/large-statement.ts';
import { masterIban } from '../bank/iso20022/camt/statement-xml.ts';
import { contents, createTestRail } from './bank-rail.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

// A chunk of 500 credits is about 2 MB with its SQL; the digests of repeated references grow by 120 bytes an entry.
const megabytes = 24;

test.each([
  ['a customer', true],
  ['nobody', false],
])('10,000 entries to %s are imported in bounded memory', { timeout: 180_000 }, async (_, isOurs) => {
  const rail = await createTestRail();
  if (isOurs) await rail.ledger.updateTable('ibans').set({ iban: masterIban }).execute();
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  const begin = Date.now();
  const report = await rail.import('', {
    chunks: largeStatement(10_000),
    onProgress() {
      collectGarbage();
      most = Math.max(most, process.memoryUsage().heapUsed - before);
    },
  });
  console.info(`10,000 entries in ${Date.now() - begin} ms, ${Math.round(most / 1024 / 1024)} MB`);
  expect(report.counts).toMatchObject({ entries: 10_000, [isOurs ? 'issued' : 'unmatched']: 10_000 });
  expect(most).toBeLessThan(megabytes * 1024 * 1024);
  expect((await contents(rail.ledger)).counts).toEqual(isOurs ? [10_000, 10_000, 10_000] : [0, 0, 0]);
  await rail.close();
});
