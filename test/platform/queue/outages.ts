import { describe, expect, it, type Mock, vi } from 'vitest';
import { createQueueWorker } from '../../../src/platform/queue/worker.ts';
import { createWaker } from '../../../src/platform/queue/waker.ts';
import { type QueueFixture, quiet, runs } from './fixture.ts';
import { patience } from '../../support/patience.ts';

/** What has to come of wake-ups when their backend is down for a while. */
export function testOutages(fixture: QueueFixture): void {
  const warned = () => vi.waitFor(() => expect(fixture.log.warn).toHaveBeenCalled(), patience);

  /** Starts the backend again. Returns when wake-ups, of which there are more and more, have made the work run once more. */
  async function goOn(work: Mock, waker = fixture.waker): Promise<void> {
    const before = work.mock.calls.length;
    await fixture.backend.start();
    await vi.waitFor(() => {
      waker.wake(fixture.queue);
      expect(work.mock.calls.length).toBeGreaterThan(before);
    }, patience);
  }

  describe('wake-ups, when there are outages,', () => {
    it('go on after the backend was down under the waker and the worker', async () => {
      const { backend, queue, waker, startWorker } = fixture;
      const { work } = startWorker();
      waker.wake(queue);
      await runs(work, 1);
      await quiet();
      await backend.stop();
      waker.wake(queue);
      await warned();
      await quiet();
      await goOn(work);
    });

    it('go on when the backend was down at the start of both', async () => {
      const { backend, queue, log, opened, startWorker } = fixture;
      await backend.stop();
      const early = opened(createWaker(backend.settings, log));
      const { work } = startWorker();
      early.wake(queue);
      await warned();
      await quiet();
      await goOn(work, early);
    });

    it('are closed within their patience while the backend is down', async () => {
      const { backend, queue, waker, log, startWorker } = fixture;
      const { worker, work } = startWorker();
      waker.wake(queue);
      await runs(work, 1);
      await backend.stop();
      waker.wake(queue);
      const never = createWaker(backend.settings, log);
      never.wake(queue);
      const neverWorks = createQueueWorker(backend.settings, { queue, work, log });
      await quiet();
      await Promise.all([worker.close(), waker.close(), never.close(), neverWorks.close()]);
      await backend.start();
    });

    it('come back when their worker lost the backend in the middle of the work', async () => {
      const { backend, queue, waker, startWorker } = fixture;
      const running = Promise.withResolvers<void>();
      const { work } = startWorker(() => running.promise);
      waker.wake(queue);
      await runs(work, 1);
      await backend.stop();
      running.resolve();
      await quiet();
      await goOn(work);
    });
  });
}
