import { expect, it } from 'vitest';
import { createStallWatch } from '../../../src/workers/indexer/stall-watch.ts';

const blocksBehind = 20n;
const everySeconds = 2;

/** A head below zero is one that no endpoint answered; without any it grows by a block a second. */
interface Reported {
  block: number;
  head?: number;
  ready?: boolean;
}

/** A watch on a chain with a block a second, and the seconds at which it asks for a restart while `position` is reported. */
function watch() {
  let second = 0;
  const isStalled = createStallWatch(blocksBehind, () => second * 1_000);
  return {
    sleep: (seconds: number) => {
      second += seconds;
    },
    restarts: (seconds: number, position: (second: number) => Reported): number[] => {
      const times: number[] = [];
      for (const end = second + seconds; second < end; second += everySeconds) {
        const { block, head = 1_000 + second, ready = true } = position(second);
        if (isStalled({ ready, block: String(block), head: head < 0 ? undefined : BigInt(head) })) times.push(second);
      }
      return times;
    },
  };
}

it('restarts a Ponder that reads no block for a minute, then after five minutes, and after ever longer pauses up to an hour', () => {
  const { restarts } = watch();
  const times = restarts(6 * 3_600, () => ({ block: 900 }));
  const pauses = times.map((time, index) => (time - (times[index - 1] ?? 0)) / 60);
  expect(pauses).toEqual([1, 5, 10, 20, 40, 60, 60, 60, 60]);
});

it('restarts one that goes on more slowly than its chain only after ten minutes', () => {
  expect(watch().restarts(700, (second) => ({ block: 900 + second / 2 }))).toEqual([600]);
});

it('begins with the short pause again once Ponder has been near the head after a pause', () => {
  const { restarts } = watch();
  expect(restarts(600, () => ({ block: 900 }))).toEqual([60, 360]);
  expect(restarts(600, (second) => ({ block: 1_000 + second }))).toEqual([]);
  expect(restarts(400, () => ({ block: 1_000 }))).toEqual([1_260, 1_560]);
});

it.each([
  ['is near the head', (second: number) => ({ block: 980 + second })],
  ['catches up', (second: number) => ({ block: 500 + second * 2 })],
  ['reads the past', () => ({ block: 0, ready: false })],
  ['has endpoints that do not answer', () => ({ block: 0, head: -1 })],
  [
    'has endpoints that answer nothing once in a while',
    (second: number) => ({ block: 900, head: second % 50 === 0 ? -1 : 1_000 + second }),
  ],
])('restarts none that %s', (_, position: (second: number) => Reported) => {
  expect(watch().restarts(240, position)).toEqual([]);
});

it('counts the minute anew after the database did not answer', () => {
  const { restarts, sleep } = watch();
  expect(restarts(50, () => ({ block: 900 }))).toEqual([]);
  sleep(30);
  expect(restarts(60, () => ({ block: 901 }))).toEqual([]);
  expect(restarts(10, () => ({ block: 901 }))).toEqual([140]);
});

it('never restarts more often than every five minutes, whatever is reported, and never one that is not ready', () => {
  let seed = 20_260_507;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const { restarts, sleep } = watch();
  const times: number[] = [];
  for (let phase = 0; phase < 400; phase++) {
    const [base, speed, ready, answers] = [random() * 1_000, random() < 0.5 ? 0 : random() * 2, random() < 0.8, random() < 0.8];
    const inPhase = restarts(Math.ceil(random() * 200), (second) => ({
      block: Math.floor(base + second * speed),
      ready,
      ...(answers ? {} : { head: -1 }),
    }));
    if (!ready || !answers) expect(inPhase).toEqual([]);
    times.push(...inPhase);
    if (random() < 0.1) sleep(60);
  }
  expect(times.length).toBeGreaterThan(5);
  for (const [index, time] of times.slice(1).entries()) expect(time - (times[index] ?? 0)).toBeGreaterThanOrEqual(300);
});
