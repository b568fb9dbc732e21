import { describe, expect, it } from 'vitest';
import { afterFailure, pauseAfter, schedule } from '../../../src/workers/webhooks/schedule.ts';
import { createSlots } from '../../../src/workers/webhooks/slots.ts';

/** Longest that an attempt may take, in seconds. */
const timeout = 10;

describe('the schedule of attempts', () => {
  it.each([0, 0.5, 1])('makes ten attempts within 12 hours, whatever the jitter (%s)', (random) => {
    let age = timeout;
    let attempt = 1;
    const pauses: number[] = [];
    for (;;) {
      const after = afterFailure({ attempt, ageSeconds: age }, random);
      if (after === 'failed' || after === 'delivered') break;
      pauses.push(after.retryIn);
      age += after.retryIn + timeout;
      attempt += 1;
    }
    expect(attempt).toBe(10);
    expect(pauses).toHaveLength(9);
    expect(age).toBeLessThanOrEqual(schedule.withinSeconds);
    expect(age).toBeGreaterThan(8 * 60 * 60);
    pauses.slice(1).forEach((pause, index) => expect(pause / (pauses[index] as number)).toBeCloseTo(3));
  });

  it('spreads the attempts of deliveries that failed together', () => {
    expect([0, 1].map((random) => pauseAfter(5, random))).toEqual([243, 324]);
  });

  it('ends with an attempt that came so late that the next one would be beyond 12 hours', () => {
    expect(afterFailure({ attempt: 2, ageSeconds: schedule.withinSeconds - 5 }, 0)).toBe('failed');
    expect(afterFailure({ attempt: 2, ageSeconds: schedule.withinSeconds - 10 }, 0)).toEqual({ retryIn: 9 });
  });

  it.each([
    ['a minute', 60, { retryIn: 60 }],
    ['less than the pause', 1, { retryIn: 9 }],
    ['a day, of which half is over', 86_400, { retryIn: schedule.withinSeconds - 100 }],
  ])('waits as long as a receiver asks: %s', (_, retryAfterSeconds, after) =>
    expect(afterFailure({ attempt: 2, ageSeconds: 100, retryAfterSeconds }, 0)).toEqual(after),
  );

  it('makes no eleventh attempt, however long a receiver asks to wait', () =>
    expect(afterFailure({ attempt: 10, ageSeconds: 100, retryAfterSeconds: 60 })).toBe('failed'));
});

describe('the places of a worker', () => {
  it('become more for a receiver that answers, and few for one that does not', () => {
    const slots = createSlots({ total: 20, most: 6, first: 2 });
    const freeOf = (subscription: string) => slots.known().find((one) => one.subscription === subscription)?.free;
    for (let count = 0; count < 10; count += 1) {
      slots.take('quick');
      slots.release('quick', true);
    }
    expect(freeOf('quick')).toBe(6);
    slots.take('quick');
    expect([freeOf('quick'), slots.free()]).toEqual([5, 19]);
    for (const allowed of [1, 1]) {
      slots.take('hanging');
      slots.release('hanging', false);
      expect(freeOf('hanging')).toBe(allowed);
    }
  });

  it('are for failing receivers never more than half of all', () => {
    const slots = createSlots({ total: 10, most: 6, first: 2 });
    for (let count = 0; count < 8; count += 1) {
      slots.take(`hanging ${count}`);
      slots.release(`hanging ${count}`, false);
    }
    for (let count = 0; count < 4; count += 1) slots.take(`hanging ${count}`);
    expect([slots.free(), slots.freeForFailing()]).toEqual([6, 1]);
  });
});
