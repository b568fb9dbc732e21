import { expect, it, vi } from 'vitest';
import { createQueueWorker } from '../../../src/platform/queue/worker.ts';
import { createWaker } from '../../../src/platform/queue/waker.ts';
import type { BackendKind } from './backend.ts';
import { describeQueues, quiet, runs } from './fixture.ts';

/** What has to come of wake-ups when their backend is down for a while. */
export function describeOutages(backend: BackendKind): void {
  describeQueues('wake-ups, when there are outages,', backend, (fixture) => {
    it('go on after the backend was down under the waker and the worker', async () => {
      const { backend, queue, waker, log, startWorker } = fixture;
      const { work } = startWorker();
      waker.wake(queue);
      await runs(work, 1);
      await quiet();
      await backend.stop();
      waker.wake(queue);
      await vi.waitFor(() => expect(log.warn).toHaveBeenCalled(), { timeout: 20_000 });
      await quiet();
      await backend.start();
      await vi.waitFor(
        () => {
          waker.wake(queue);
          expect(work.mock.calls.length).toBeGreaterThan(1);
        },
        { timeout: 30_000, interval: 100 },
      );
    });

    it('go on when the backend was down at the start of both', async () => {
      const { backend, queue, log, opened, startWorker } = fixture;
      await backend.stop();
      const early = opened(createWaker(backend.settings, log));
      const { work } = startWorker();
      early.wake(queue);
      await vi.waitFor(() => expect(log.warn).toHaveBeenCalled(), { timeout: 20_000 });
      await quiet();
      await backend.start();
      await vi.waitFor(
        () => {
          early.wake(queue);
          expect(work).toHaveBeenCalled();
        },
        { timeout: 30_000, interval: 100 },
      );
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
      const begun = Date.now();
      await Promise.all([worker.close(), waker.close(), never.close(), neverWorks.close()]);
      expect(Date.now() - begun).toBeLessThan(7_000);
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
      await backend.start();
      await vi.waitFor(
        () => {
          waker.wake(queue);
          expect(work.mock.calls.length).toBeGreaterThan(1);
        },
        { timeout: 30_000, interval: 100 },
      );
    });
  });
}
