import { expect, it, vi } from 'vitest';
import { createAlarms } from '../../../src/workers/alarms.ts';
import { startQueueCheck } from '../../../src/workers/queue-check.ts';
import { redis } from './backend.ts';
import { describeQueues } from './fixture.ts';
import { testOutages } from './outages.ts';
import { testWakeUps } from './wake-ups.ts';
import { patience } from '../../support/patience.ts';

describeQueues(redis, (fixture) => {
  testWakeUps(fixture);
  testOutages(fixture);

  it('wake-ups that Redis does not take raise an alarm, which ends when it takes one', async () => {
    const { backend, waker, log, opened } = fixture;
    const alarms = createAlarms(log);
    const check = opened(startQueueCheck({ waker, log, alarms }));
    const raised = async () => {
      await check.turned();
      return alarms.list().map(({ kind }) => kind);
    };
    expect(await raised()).toEqual([]);
    await backend.stop();
    await vi.waitFor(async () => expect(await raised()).toEqual(['queue_unreachable']), patience);
    await backend.start();
    await vi.waitFor(async () => expect(await raised()).toEqual([]), patience);
  });
});
