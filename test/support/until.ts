import { setTimeout as delay } from 'node:timers/promises';
import { patienceMs } from './patience.ts';

/** Between two calls: short at first, because most conditions hold soon, and longer with each, because every call takes time from what it waits for. */
const pause = { firstMs: 20, longestMs: 250, growth: 1.5 };

/** Calls `ask` until it returns something, and returns that. Throws after {@link patienceMs}, and says then what it waited for. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (let pauseMs = pause.firstMs; ; pauseMs = Math.min(pauseMs * pause.growth, pause.longestMs)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${patienceMs / 1_000} s in vain until ${what}`);
    await delay(pauseMs);
  }
}
