import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createPace } from '../../src/workers/pace.ts';

it('takes a bounded share of the time, also when a run fails', async () => {
  const pace = createPace(1);
  expect(pace.isDue()).toBe(true);
  expect(await pace.run(async () => 'result')).toBe('result');
  // A run that took no time counts as 50 ms.
  expect(pace.isDue()).toBe(false);
  await delay(60);
  expect(pace.isDue()).toBe(true);
  await expect(pace.run(() => delay(120).then(() => Promise.reject(new Error('an outage'))))).rejects.toThrow('an outage');
  await delay(60);
  expect(pace.isDue()).toBe(false);
  expect(createPace(0).isDue()).toBe(true);
});
