import { setTimeout as delay } from 'node:timers/promises';

/** What `answer` comes to. Rejects when it takes longer than so many milliseconds; the answer goes on then without anybody who waits for it. */
export async function within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  const timer = new AbortController();
  answer.catch(() => {});
  try {
    return await Promise.race([
      answer,
      // A busy process may come here after its time.
      delay(Math.max(milliseconds, 0), undefined, { signal: timer.signal }).then(() => Promise.reject(new Error('no endpoint answers'))),
    ]);
  } finally {
    timer.abort();
  }
}
