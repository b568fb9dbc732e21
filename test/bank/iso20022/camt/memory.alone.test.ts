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
  for await (const { source, items } of readStatement(largeStatement(entries))) {
    credits += items.filter(({ kind }) => kind === 'credit').length;
    if (source.number % (entries / 10) !== 0) continue;
    collectGarbage();
    most = Math.max(most, process.memoryUsage().heapUsed - before);
  }
  expect(credits).toBe(entries);
  return most;
}

// The digests by which repeated references are known lie outside of the heap: a file of a million entries took more than a process has.
test('the heap does not grow with the entries of a file', async () => {
  const small = await heapGrowth(2_000);
  const large = await heapGrowth(20_000);
  expect((large - small) / 1024 / 1024).toBeLessThan(1);
});
