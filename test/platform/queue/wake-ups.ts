import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { type QueueFixture, quiet, runs } from './fixture.ts';
import { patience } from '../../support/patience.ts';
import { until } from '../../support/until.ts';

/** Of many wake-ups at once a waker sends the first, and all others as one. */
const bothSent = (sent: () => Promise<number>) => until('both are sent', async () => (await sent()) === 2 || undefined);

/** What a backend of the queues has to do while it is well. */
export function testWakeUps(fixture: QueueFixture): void {
  describe('wake-ups', () => {
    it('wake', async () => {
      const { queue, waker, startWorker } = fixture;
      const { work } = startWorker();
      waker.wake(queue);
      await runs(work, 1);
      waker.wake(queue);
      await runs(work, 2);
    });

    it('wait for a worker that comes later', async () => {
      const { queue, waker, startWorker } = fixture;
      waker.wake(queue);
      await quiet();
      await runs(startWorker().work, 1);
    });

    it('wake nobody on another queue', async () => {
      const { queue, waker, startWorker } = fixture;
      const { work } = startWorker();
      waker.wake(`${queue}-other`);
      await quiet();
      expect(work).not.toHaveBeenCalled();
    });

    it('are few while very many come, and the last one is not lost', async () => {
      const { queue, waker, startWorker } = fixture;
      let seen = 0;
      let sent = 0;
      const begun = performance.now();
      const { work } = startWorker(async () => {
        seen = sent;
      });
      for (let count = 0; count < 250; count += 1) {
        sent += 1;
        waker.wake(queue);
        await delay(4);
      }
      await vi.waitFor(() => expect(seen).toBe(sent), patience);
      // Four a second, and some at the beginning and the end.
      expect(work.mock.calls.length).toBeLessThan(8 + (performance.now() - begun) / 250);
    });

    it.each([1, 4])('that come together from %i processes become one', async (processes) => {
      const { queue, otherWaker, startWorker } = fixture;
      const wakers = Array.from({ length: processes }, otherWaker);
      for (let count = 0; count < 100; count += 1) wakers[count % processes]?.waker.wake(queue);
      for (const { sent } of wakers) await bothSent(sent);
      const { work } = startWorker();
      await runs(work, 1);
      await quiet();
      expect(work).toHaveBeenCalledTimes(1);
    });

    it('that come while the work is running bring one more run, after it', async () => {
      const { queue, waker, otherWaker, startWorker } = fixture;
      const running = Promise.withResolvers<void>();
      const { work } = startWorker(() => running.promise);
      waker.wake(queue);
      await runs(work, 1);
      const other = otherWaker();
      for (let count = 0; count < 20; count += 1) other.waker.wake(queue);
      await bothSent(other.sent);
      expect(work).toHaveBeenCalledTimes(1);
      running.resolve();
      await runs(work, 2);
      await quiet();
      expect(work).toHaveBeenCalledTimes(2);
    });

    it('overlook nothing that was committed before them', async () => {
      const { queue, waker, startWorker } = fixture;
      let committed = 0;
      let seen = 0;
      startWorker(async () => {
        const found = committed;
        await delay(Math.random() * 10);
        seen = found;
      });
      for (let count = 0; count < 100; count += 1) {
        committed += 1;
        waker.wake(queue);
        await delay(Math.random() * 15);
      }
      await vi.waitFor(() => expect(seen).toBe(100), patience);
    });

    it('are shared by several workers, each run by one of them at a time', async () => {
      const { queue, waker, startWorker } = fixture;
      let together = 0;
      let most = 0;
      const work = async () => {
        together += 1;
        most = Math.max(most, together);
        await delay(5);
        together -= 1;
      };
      const workers = [startWorker(work), startWorker(work), startWorker(work)];
      const total = () => workers.reduce((sum, one) => sum + one.work.mock.calls.length, 0);
      for (let count = 1; count <= 20; count += 1) {
        waker.wake(queue);
        await vi.waitFor(() => expect(total()).toBeGreaterThanOrEqual(count), patience);
      }
      await quiet();
      expect(total()).toBe(20);
      expect(most).toBe(1);
    });

    it('find the next work done after work that threw', async () => {
      const { queue, waker, log, startWorker } = fixture;
      const failure = new Error('nothing works');
      let fails = true;
      const { work } = startWorker(async () => {
        if (fails) throw failure;
      });
      waker.wake(queue);
      await runs(work, 1);
      await vi.waitFor(() => expect(log.error).toHaveBeenCalledWith({ queue, err: failure }, expect.any(String)), patience);
      fails = false;
      waker.wake(queue);
      await runs(work, 2);
    });

    it('leave nothing behind that grows with their number', async () => {
      const { backend, queue, waker, startWorker } = fixture;
      const { work } = startWorker();
      const wakeUps = async (count: number) => {
        for (let index = 0; index < count; index += 1) {
          const before = work.mock.calls.length;
          waker.wake(queue);
          await runs(work, before + 1);
        }
        await quiet();
        return backend.stored();
      };
      const first = await wakeUps(60);
      // BullMQ adds four events each time and trims them in steps of a hundred or two.
      expect(await wakeUps(200)).toBeLessThan(first + 400);
    });

    it('are closed cleanly: work under way ends, and what comes later is left for others', async () => {
      const { queue, waker, startWorker } = fixture;
      const running = Promise.withResolvers<void>();
      let done = false;
      const { work, worker } = startWorker(async () => {
        await running.promise;
        done = true;
      });
      waker.wake(queue);
      await runs(work, 1);
      waker.wake(queue);
      await quiet();
      const closed = worker.close();
      running.resolve();
      await closed;
      expect(done).toBe(true);
      await runs(startWorker().work, 1);
      expect(work).toHaveBeenCalledTimes(1);
    });

    it('are closed with and without anything to do, and twice', async () => {
      const { queue, waker, startWorker } = fixture;
      const { worker } = startWorker();
      waker.wake(queue);
      await Promise.all([worker.close(), waker.close()]);
      await Promise.all([worker.close(), waker.close()]);
      waker.wake(queue);
    });
  });
}
