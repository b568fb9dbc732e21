import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { readStatement } from '../../../../src/bank/iso20022/camt/read-statement.ts';
import { largeStatement } from './large-statement.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The most memory in use at any of ten moments of a file, above that at its beginning. */
async function heapGrowth(entries: number): Promise<number> {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  let credits = 0;
  for await (const item of readStatement(largeStatement(entries))) {
    if (item.kind === 'credit') credits += 1;
    if (item.entry.number % (entries / 10) !== 0) continue;
    collectGarbage();
    most = Math.max(most, process.memoryUsage().heapUsed - before);
  }
  expect(credits).toBe(entries);
  return most;
}

// Only the digests by which repeated references are told grow: some 120 bytes for an entry of 900 bytes.
test.each([
  [10_000, 6],
  [100_000, 30],
])('%i entries are read within %i MB', { timeout: 120_000 }, async (entries, megabytes) => {
  expect(await heapGrowth(entries)).toBeLessThan(megabytes * 1024 * 1024);
});
