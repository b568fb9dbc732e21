import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { type Loop, startLoop } from '../../src/platform/loop.ts';
import { patience } from '../support/patience.ts';

const hourMs = 3_600_000;
const log = createLog('silent');
let loop: Loop | undefined;

afterEach(() => loop?.close());

const turns = (turn: { mock: { calls: unknown[] } }, count: number) =>
  vi.waitFor(() => expect(turn.mock.calls.length).toBe(count), patience);

it('takes a turn at its start, at each interval, and when it is woken', async () => {
  const turn = vi.fn(async () => {});
  loop = startLoop({ name: 'test', intervalMs: hourMs, turn, log });
  await turns(turn, 1);
  loop.wake();
  await turns(turn, 2);
  await loop.close();
  loop = startLoop({ name: 'test', intervalMs: 10, turn, log });
  await vi.waitFor(() => expect(turn.mock.calls.length).toBeGreaterThan(4), patience);
});

it('takes one more turn after all wake-ups that come during one', async () => {
  const running = Promise.withResolvers<void>();
  const turn = vi.fn(() => running.promise);
  loop = startLoop({ name: 'test', intervalMs: hourMs, turn, log });
  for (let count = 0; count < 10; count += 1) loop.wake();
  expect(turn).toHaveBeenCalledTimes(1);
  running.resolve();
  await turns(turn, 2);
  await delay(50);
  expect(turn).toHaveBeenCalledTimes(2);
});

it('waits a second after a turn that failed, however often it is woken', async () => {
  const begun: number[] = [];
  const turn = vi.fn(async () => {
    begun.push(performance.now());
    if (begun.length === 1) throw new Error('power cut');
  });
  loop = startLoop({ name: 'test', intervalMs: hourMs, turn, log });
  const waking = setInterval(() => loop?.wake(), 5);
  await vi.waitFor(() => expect(begun.length).toBeGreaterThan(1), patience);
  clearInterval(waking);
  expect((begun[1] ?? 0) - (begun[0] ?? 0)).toBeGreaterThan(990);
});

it('closes its sources, and ends a turn that is under way', async () => {
  const close = vi.fn(async () => {});
  const running = Promise.withResolvers<void>();
  let wake: (() => void) | undefined;
  let ended = 0;
  const turn = async () => {
    await running.promise;
    ended += 1;
  };
  const source = (wakeLoop: () => void) => {
    wake = wakeLoop;
    return { close };
  };
  loop = startLoop({ name: 'test', intervalMs: hourMs, wokenBy: [source], turn, log });
  wake?.();
  const closed = loop.close();
  running.resolve();
  await closed;
  expect(close).toHaveBeenCalledTimes(1);
  expect(ended).toBe(1);
});
