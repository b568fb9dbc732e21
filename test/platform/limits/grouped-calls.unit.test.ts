import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { groupCalls, type GroupOptions } from '../../../src/platform/limits/grouped-calls.ts';

/** Doubles numbers. Fails as a whole for a run with a negative number, and as an outage while `isDown`. */
function doubling(options: Partial<GroupOptions<number>> = {}) {
  const runs: number[][] = [];
  const database = { isDown: false };
  const double = groupCalls<number, number>(
    async (items) => {
      runs.push(items);
      await nextTurn();
      if (database.isDown) throw new Error('outage');
      if (items.some((item) => item < 0)) throw new Error(`bad ${items.join(' ')}`);
      return items.map((item) => item * 2);
    },
    { mostItems: 100, mostWaiting: 1_000, concernsAll: (error) => (error as Error).message === 'outage', ...options },
  );
  return { double, runs, database };
}

describe('grouped calls', () => {
  it('start a call at once when nothing runs, and make one run of those that come meanwhile', async () => {
    const { double, runs } = doubling();
    const answers = [1, 2, 3, 4].map((item) => double(item));
    expect(runs).toEqual([[1]]);
    expect(await Promise.all(answers)).toEqual([2, 4, 6, 8]);
    expect(runs).toEqual([[1], [2, 3, 4]]);
    expect(await double(5)).toBe(10);
    expect(runs).toEqual([[1], [2, 3, 4], [5]]);
  });

  it('hold at most so many items, in the order of arrival', async () => {
    const { double, runs } = doubling({ mostItems: 2 });
    await Promise.all([1, 2, 3, 4].map((item) => double(item)));
    expect(runs).toEqual([[1], [2, 3], [4]]);
  });

  it('refuse a call when too many wait, and take calls again afterwards', async () => {
    const { double } = doubling({ mostWaiting: 2 });
    const answers = await Promise.allSettled([1, 2, 3, 4].map((item) => double(item)));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(answers[3]).toMatchObject({ reason: { code: 'rate_limited', retryAfterSeconds: 1 } });
    expect(await double(5)).toBe(10);
  });

  it('take an item of each owner in turn, and those of one owner in the order of arrival', async () => {
    const { double, runs } = doubling({ mostItems: 4, ownerOf: (item) => String(Math.floor(item / 10)) });
    await Promise.all([10, 11, 12, 13, 14, 15, 20, 21, 30].map((item) => double(item)));
    expect(runs).toEqual([[10], [11, 20, 30, 12], [21, 13, 14, 15]]);
  });

  it('refuse an owner of a quarter of those that may wait, and nobody else', async () => {
    const { double } = doubling({ mostWaiting: 8, ownerOf: (item) => String(Math.floor(item / 10)) });
    const answers = await Promise.allSettled([10, 11, 12, 13, 20, 21, 22, 30].map((item) => double(item)));
    expect(answers.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, false, true, true, false, true]);
    expect(answers[3]).toMatchObject({ reason: { code: 'rate_limited' } });
    expect(await double(14)).toBe(28);
  });

  it('give an error to the call that causes it alone, and their results to its neighbours', async () => {
    for (let bad = 0; bad < 9; bad += 1) {
      const { double } = doubling();
      const answers = await Promise.allSettled(Array.from({ length: 9 }, (_, item) => double(item === bad ? -1 : item)));
      const expected = answers.map((_, item) =>
        item === bad ? { status: 'rejected', reason: new Error('bad -1') } : { status: 'fulfilled', value: item * 2 },
      );
      expect(answers).toEqual(expected);
    }
  });

  it('give an outage to all calls of the run and to those that wait, without trying them', async () => {
    const { double, runs, database } = doubling();
    database.isDown = true;
    const answers = await Promise.allSettled([1, 2, 3].map((item) => double(item)));
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true);
    expect(runs).toEqual([[1]]);
    database.isDown = false;
    expect(await double(4)).toBe(8);
  });

  it('give an outage, not a refusal, to those beyond the limit while it lasts', async () => {
    const { double, database } = doubling({ mostWaiting: 1 });
    database.isDown = true;
    await expect(double(1)).rejects.toThrow('outage');
    const answers = await Promise.allSettled([1, 2, 3].map((item) => double(item)));
    expect(answers).toEqual(answers.map(() => ({ status: 'rejected', reason: new Error('outage') })));
    database.isDown = false;
    expect(await double(4)).toBe(8);
  });

  it('give an outage during the repetition by halves to all that are left', async () => {
    const runs: number[][] = [];
    const answer = groupCalls<number, number>(
      async (items) => {
        runs.push(items);
        await nextTurn();
        throw new Error(items.length === 4 ? 'bad' : 'outage');
      },
      { mostItems: 4, mostWaiting: 10, concernsAll: (error) => (error as Error).message === 'outage' && runs.length > 1 },
    );
    const answers = await Promise.allSettled([0, 1, 2, 3, 4].map((item) => answer(item)));
    expect(runs).toEqual([[0], [1, 2, 3, 4], [1, 2]]);
    expect(answers).toEqual(answers.map(() => ({ status: 'rejected', reason: new Error('outage') })));
  });

  it('report a run that does not answer each of its items', async () => {
    const answer = groupCalls<number, number>(async () => [], { mostItems: 1, mostWaiting: 1, concernsAll: () => false });
    await expect(answer(1)).rejects.toThrow('a run of 1 items returned 0 results');
  });

  it('see no context of a caller', async () => {
    const actor = new AsyncLocalStorage<string>();
    const nameActor = groupCalls<number, string | undefined>(async (items) => items.map(() => actor.getStore()), {
      mostItems: 1,
      mostWaiting: 1,
      concernsAll: () => false,
    });
    expect(await actor.run('a user', () => nameActor(1))).toBeUndefined();
  });
});
