import { expect, it } from 'vitest';
import { firstFreeSequence } from '../../sandbox/chains/first-free-sequence.ts';

it.each([0n, 1n, 2n, 3n, 255n, 256n, 1_000_003n, 2n ** 40n + 17n])('finds that %s numbers are used, with few reads', async (count) => {
  let reads = 0;
  const isUsed = async (sequence: bigint) => {
    reads += 1;
    return sequence < count;
  };
  expect(await firstFreeSequence(isUsed)).toBe(count);
  expect(reads).toBeLessThan(100);
});

it('goes behind a number that was used out of turn', async () => {
  expect(await firstFreeSequence(async (sequence) => sequence < 40n || sequence === 42n)).toBe(43n);
});
