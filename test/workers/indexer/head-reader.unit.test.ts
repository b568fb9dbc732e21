import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createHeadReader } from '../../../src/workers/indexer/head-reader.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What the endpoint does with each further look. */
let endpoint: () => Promise<bigint>;
const after = (milliseconds: number, head: bigint) => () => new Promise<bigint>((resolve) => setTimeout(resolve, milliseconds, head));
const hangs = () => new Promise<never>(() => {});

/** Reads every four seconds, as an indexer does whose endpoint hangs, and tells each head with the milliseconds until it was told. */
async function readFor(reader: ReturnType<typeof createHeadReader>, seconds: number) {
  const reads: { head: bigint | undefined; milliseconds: number }[] = [];
  const end = Date.now() + seconds * 1_000;
  while (Date.now() < end) {
    const startedAt = Date.now();
    const read = reader().then((head) => ({ head, milliseconds: Date.now() - startedAt }));
    // What waits for two seconds has ended then, and what began at once is read at once.
    await vi.advanceTimersByTimeAsync(4_000);
    reads.push(await read);
  }
  return reads;
}

it('names no head of a chain whose endpoint has hung for 15 seconds, never waits for it, and names it soon after it answers again', async () => {
  const reader = createHeadReader(() => endpoint());
  endpoint = async () => 7n;
  expect((await readFor(reader, 8)).map(({ head }) => head)).toEqual([7n, 7n]);
  endpoint = hangs;
  const during = await readFor(reader, 60);
  expect(Math.max(...during.map(({ milliseconds }) => milliseconds))).toBeLessThan(2_200);
  const firstUnknown = during.findIndex(({ head }) => head === undefined);
  expect(firstUnknown).toBeGreaterThan(0);
  expect(firstUnknown).toBeLessThanOrEqual(4);
  expect(during.slice(firstUnknown).every(({ head }) => head === undefined)).toBe(true);
  endpoint = async () => 9n;
  expect((await readFor(reader, 10)).at(-1)?.head).toBe(9n);
});

it('keeps the head through one look that fails, and knows none before the first answer', async () => {
  const reader = createHeadReader(() => endpoint());
  endpoint = async () => Promise.reject(new Error('fetch failed'));
  expect((await readFor(reader, 2))[0]?.head).toBeUndefined();
  endpoint = async () => 7n;
  await readFor(reader, 2);
  endpoint = async () => Promise.reject(new Error('fetch failed'));
  expect((await readFor(reader, 2))[0]?.head).toBe(7n);
});

it('knows the head of an endpoint that takes four seconds for each answer, and takes no late answer for a newer one', async () => {
  const reader = createHeadReader(() => endpoint());
  endpoint = after(4_000, 7n);
  expect((await readFor(reader, 30)).slice(2).every(({ head }) => head === 7n)).toBe(true);
  endpoint = after(14_000, 6n);
  await readFor(reader, 6);
  endpoint = after(0, 8n);
  expect((await readFor(reader, 20)).at(-1)?.head).toBe(8n);
});
