import { afterEach, expect, it, vi } from 'vitest';
import { createPace } from '../../../src/workers/pacing/pace.ts';

async function fifteenMinutesOutage(): Promise<never> {
  vi.advanceTimersByTime(15 * 60_000);
  throw new Error('an outage');
}

afterEach(() => vi.useRealTimers());

it('takes a bounded share of the time', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const pace = createPace();
  expect(pace.isDue()).toBe(true);
  expect(await pace.run(async () => 'result')).toBe('result');
  // A run that took no time counts as 50 ms.
  vi.advanceTimersByTime(999);
  expect(pace.isDue()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(pace.isDue()).toBe(true);
  await pace.run(async () => void vi.advanceTimersByTime(2_000));
  vi.advanceTimersByTime(39_999);
  expect(pace.isDue()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(pace.isDue()).toBe(true);
  expect(createPace(0).isDue()).toBe(true);
});

it('pauses for a minute at most, and shortly after a run that failed', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const pace = createPace();
  await pace.run(async () => void vi.advanceTimersByTime(15 * 60_000));
  vi.advanceTimersByTime(60_000);
  expect(pace.isDue()).toBe(true);
  await expect(pace.run(fifteenMinutesOutage)).rejects.toThrow('an outage');
  expect(pace.isDue()).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(pace.isDue()).toBe(true);
});
