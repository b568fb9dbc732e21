import { RedisConnection } from 'bullmq';
import { expect, it, vi } from 'vitest';
import { createAlarms } from '../../../src/workers/alarms.ts';
import { startQueueCheck } from '../../../src/workers/queue-check.ts';
import { redis } from './backend.ts';
import { describeQueues, runs } from './fixture.ts';
import { testOutages } from './outages.ts';
import { testWakeUps } from './wake-ups.ts';
import { patience } from '../../support/patience.ts';
import { until } from '../../support/until.ts';

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

  it('a connection whose place another has taken in an outage is over, and fails in silence', async () => {
    const { backend, queue, waker, log, startWorker } = fixture;
    const connect = vi.spyOn(RedisConnection, 'clientFactory');
    const print = vi.spyOn(console, 'error');
    const { work } = startWorker();
    const ofWorker = connect.mock.results.length;
    waker.wake(queue);
    await runs(work, 1);
    const sender = connect.mock.results[ofWorker]?.value as { status: string };
    await backend.stop();
    await vi.waitFor(() => {
      waker.wake(queue);
      expect(log.warn).toHaveBeenCalledWith(expect.anything(), expect.stringContaining('wake-up not queued'));
    }, patience);
    await until('the connection is over', async () => sender.status === 'end' || undefined);
    await backend.start();
    expect(print).not.toHaveBeenCalled();
  });
});
