import { expect, it } from 'vitest';
import { createPonderRuns } from '../../../src/workers/indexer/ponder-runs.ts';

const aborted = { code: null, signal: 'SIGABRT' } as const;
const failed = { code: 1, signal: null };

it('doubles the heap after each abort, up to what the machine affords, and after no other end', () => {
  const runs = createPonderRuns(3_000);
  const limits = [aborted, failed, { code: 134, signal: null }, aborted].map((exit) => [runs.ended(exit), runs.heapMegabytes()]);
  expect(limits).toEqual([
    [true, 2_048],
    [false, 2_048],
    [true, 3_000],
    [false, 3_000],
  ]);
});

it('keeps the first limit on a machine that affords no more', () => {
  const runs = createPonderRuns(300);
  expect([runs.ended(aborted), runs.heapMegabytes()]).toEqual([false, 1_024]);
});

it('counts the ends until Ponder was ready for a minute; the moments before it notices an end do not count', () => {
  let now = Date.parse('2026-05-06T03:00:00Z');
  const runs = createPonderRuns(4_096, () => now);
  const readyFor = (ms: number) => {
    runs.reported(true, true);
    now += ms;
    runs.reported(true, true);
  };
  runs.ended(aborted);
  readyFor(59_000);
  runs.ended(failed);
  readyFor(59_000);
  expect(runs.ends()).toEqual({ count: 2, since: '2026-05-06T03:00:00.000Z', last: 'exit code 1' });
  runs.reported(false, true);
  readyFor(60_000);
  expect(runs.ends()).toBeUndefined();
  expect(runs.heapMegabytes()).toBe(2_048);
});

it('fails at its start when it ends with an error three times in a row, without an outage of an endpoint or of the database', () => {
  let now = 0;
  const runs = createPonderRuns(4_096, () => now);
  const end = (exit: Parameters<typeof runs.ended>[0], { endpointsAnswer = true, silence = 2_000 } = {}) => {
    runs.reported(false, endpointsAnswer);
    now += silence;
    runs.ended(exit);
    return runs.failsAtStart();
  };
  const retryable = { code: 75, signal: null };
  expect([end(failed), end(retryable), end(failed)]).toEqual([false, false, true]);
  expect([end(failed, { endpointsAnswer: false }), end(failed), end(failed)]).toEqual([false, false, false]);
  expect([end(failed, { silence: 30_000 }), end(failed), end(aborted), end(failed)]).toEqual([false, false, false, false]);
});
