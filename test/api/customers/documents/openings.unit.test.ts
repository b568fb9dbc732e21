import { expect, it } from 'vitest';
import { createOpenings, type OpenFile, type Opening } from '../../../../src/api/customers/documents/openings.ts';
import { createGrowingPauses } from '../../../../src/platform/limits/growing-pauses.ts';

const opens: Opening = { problem: undefined };
const tooSlow: Opening = { problem: 'takes too long', isOverLimit: true };

/** Openings of files that open until the test ends them, and their names in the order in which they begin. */
function setUp({ now }: { now?: () => number } = {}) {
  const begun: string[] = [];
  const ends = new Map<string, (opening: Opening) => void>();
  const open: OpenFile = (file, signal) =>
    new Promise((resolve, reject) => {
      begun.push(file);
      ends.set(file, resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const openings = createOpenings(open, { atOnce: 2, pauses: createGrowingPauses(now) });
  const upload = (uploader: string, file: string, signal = new AbortController().signal) => {
    const result = openings({ file, uploader, signal }).catch((error: { code?: string; retryAfterSeconds?: number }) => error);
    return result;
  };
  /** Ends a file, and lets the next one begin. */
  const end = async (file: string, opening = opens) => {
    ends.get(file)?.(opening);
    await new Promise(setImmediate);
  };
  return { begun, upload, end };
}

it('a file waits for no more than one turn of another uploader, however many they send', async () => {
  const { begun, upload, end } = setUp();
  const slow = Array.from({ length: 20 }, (_, index) => upload('attacker', `slow ${index}`));
  const other = Array.from({ length: 20 }, (_, index) => upload('another', `other ${index}`));
  void upload('honest', 'honest');
  expect(begun).toEqual(['slow 0', 'other 0']);
  expect(await Promise.all([slow[4], other[4]])).toMatchObject([
    { code: 'rate_limited', retryAfterSeconds: 1 },
    { code: 'rate_limited', retryAfterSeconds: 1 },
  ]);
  await end('slow 0');
  expect(begun).toEqual(['slow 0', 'other 0', 'honest']);
  await end('other 0');
  await end('slow 1');
  expect(begun.slice(3)).toEqual(['slow 1', 'other 1']);
});

it('an uploader has one processor, though another is idle', async () => {
  const { begun, upload } = setUp();
  void upload('attacker', 'slow 0');
  void upload('attacker', 'slow 1');
  void upload('honest', 'honest');
  expect(begun).toEqual(['slow 0', 'honest']);
});

it('a file of an aborted request neither waits nor opens any longer', async () => {
  const { begun, upload, end } = setUp();
  const [opening, waiting] = [new AbortController(), new AbortController()];
  const first = upload('user', 'first', opening.signal);
  const second = upload('user', 'second', waiting.signal);
  waiting.abort(new Error('hung up'));
  expect(await second).toMatchObject({ message: 'hung up' });
  void upload('user', 'third');
  await end('first');
  expect(await first).toBeUndefined();
  expect(begun).toEqual(['first', 'third']);
});

it('after a file over its limit the uploader pauses, twice as long each time, up to five minutes', async () => {
  let now = 0;
  const { upload, end } = setUp({ now: () => now });
  for (const pause of [10, 20, 40, 80, 160, 300, 300]) {
    const slow = upload('attacker', 'slow');
    const waiting = upload('attacker', 'waiting');
    await end('slow', tooSlow);
    expect(await slow).toBe('takes too long');
    for (const refused of [await waiting, await upload('attacker', 'next')])
      expect(refused).toMatchObject({ code: 'rate_limited', retryAfterSeconds: pause });
    const honest = upload('honest', 'honest');
    await end('honest');
    expect(await honest).toBeUndefined();
    now += pause * 1_000;
  }
});

it('hanging up while a file opens begins a pause, too', async () => {
  const { upload } = setUp();
  const hungUp = new AbortController();
  const first = upload('attacker', 'slow', hungUp.signal);
  hungUp.abort(new Error('hung up'));
  await first;
  expect(await upload('attacker', 'next')).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 10 });
});
