import { beforeEach, describe, expect, it } from 'vitest';
import { type BatchPace, createBatchPace } from '../../../../src/workers/lanes/batches/batch-pace.ts';

let time: number;
let pace: BatchPace;

beforeEach(() => {
  time = 0;
  pace = createBatchPace(1, () => time);
});

/** Sends what comes, so many legs a millisecond, at each turn that may send; returns the legs of each transaction. */
function run({ legsPerMs, blocks, blockMs = 1_000 }: { legsPerMs: number; blocks: number; blockMs?: number }): number[] {
  const transactions: number[] = [];
  let ready = 0;
  for (; time < blocks * blockMs; time += 10) {
    ready += legsPerMs * 10;
    pace.begin(BigInt(Math.floor(time / blockMs)));
    if (ready < 1 || !pace.mayGo('issue eur')) continue;
    pace.sent('issue eur', Math.floor(ready));
    transactions.push(Math.floor(ready));
    ready -= Math.floor(ready);
  }
  return transactions;
}

describe('the pace of batches', () => {
  it('lets an order at rest go at once, and several', () => {
    expect(run({ legsPerMs: 0.005, blocks: 4 }).every((legs) => legs === 1)).toBe(true);
  });

  it('makes one transaction a block under load', () => {
    const transactions = run({ legsPerMs: 0.4, blocks: 10 });
    expect(transactions.length).toBeLessThanOrEqual(10 + 4);
    expect(transactions.slice(5).every((legs) => legs > 350)).toBe(true);
  });

  it('lets a busy group that waits go at the next block when that comes before its time', () => {
    pace.begin(1n);
    pace.sent('issue eur', 100);
    const waiting: boolean[] = [];
    for (const block of [2n, 3n]) {
      time += 300;
      pace.begin(block);
      waiting.push(!pace.mayGo('issue eur'));
    }
    expect(waiting).toEqual([true, false]);
  });

  it('keeps the groups apart', () => {
    pace.begin(1n);
    pace.sent('issue eur', 100);
    expect(pace.mayGo('issue eur')).toBe(false);
    expect(pace.mayGo('redeem eur key')).toBe(true);
  });

  it('lets go what waits before the block is due, and then once in a block time while none comes', () => {
    pace.begin(1n);
    const sentAt: number[] = [];
    for (; time < 4_000; time += 10) {
      pace.begin(1n);
      if (!pace.mayGo('issue eur')) continue;
      sentAt.push(time);
      pace.sent('issue eur', 100);
      expect(time + pace.waitMs()).toBe(600 + (sentAt.length - 1) * 1_000);
    }
    expect(sentAt).toEqual([0, 600, 1_600, 2_600, 3_600]);
  });
});
