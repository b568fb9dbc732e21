import { expect, it } from 'vitest';
import { createOpenings, type OpenFile, type Opening } from '../../../../src/api/customers/documents/openings.ts';

const opens: Opening = { problem: undefined, isOverLimit: false, processorMs: 200 };
const tooSlow: Opening = { problem: 'takes too long', isOverLimit: true, processorMs: 5_000 };

/** Openings of files that open until the test ends them, and their names and times in the order in which they begin. */
function setUp({ now }: { now?: () => number } = {}) {
  const begun: string[] = [];
  const times: number[] = [];
  const ends = new Map<string, (opening: Opening) => void>();
  const open: OpenFile = (file, { processorMs, signal }) =>
    new Promise((resolve, reject) => {
      begun.push(file);
      times.push(processorMs);
      ends.set(file, resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const openings = createOpenings(now);
  const upload = (uploader: string, file: string, signal = new AbortController().signal) =>
    openings(open, { file, uploader, signal }).catch((error: { code?: string; retryAfterSeconds?: number }) => error);
  /** Ends a file, and lets the next one begin. */
  const end = async (file: string, opening = opens) => {
    ends.get(file)?.(opening);
    await new Promise(setImmediate);
  };
  /** Uploads a file whose opening ends so. */
  const uploadAndEnd = async (uploader: string, opening = opens) => {
    const answer = upload(uploader, 'file');
    await end('file', opening);
    return answer;
  };
  return { begun, times, upload, end, uploadAndEnd };
}

it('a file waits for no more than one turn of another uploader, however many they send', async () => {
  const { begun, upload, end } = setUp();
  const slow = Array.from({ length: 30 }, (_, index) => upload('attacker', `slow ${index}`));
  const other = Array.from({ length: 30 }, (_, index) => upload('another', `other ${index}`));
  void upload('honest', 'honest');
  expect(begun).toEqual(['slow 0', 'other 0']);
  expect(await Promise.all([slow[21], other[21]])).toMatchObject([
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

it('costly files of one customer leave the quick ones of the same application alone', async () => {
  const { uploadAndEnd } = setUp({ now: () => 0 });
  for (let costly = 0; costly < 9; costly += 1) await uploadAndEnd('partner', tooSlow);
  // Beyond nine, as long as most files are quick.
  for (let quick = 0; quick < 30; quick += 1) expect(await uploadAndEnd('partner')).toBeUndefined();
  for (let costly = 0; costly < 20; costly += 1) await uploadAndEnd('partner', tooSlow);
  expect(await uploadAndEnd('partner')).toBeUndefined();
});

it('after three costly files in a minute the next ones have less time, and after ten, none while most are costly', async () => {
  let now = 0;
  const { times, uploadAndEnd } = setUp({ now: () => now });
  for (let costly = 0; costly < 3; costly += 1) expect(await uploadAndEnd('attacker', tooSlow)).toBe('takes too long');
  for (let costly = 3; costly < 10; costly += 1)
    expect(await uploadAndEnd('attacker', { ...tooSlow, processorMs: 1_500 })).toMatchObject({ code: 'rate_limited' });
  expect(times).toEqual([5_000, 5_000, 5_000, ...Array.from({ length: 7 }, () => 1_500)]);
  now = 30_000;
  expect(await uploadAndEnd('attacker')).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 30 });
  expect(await uploadAndEnd('honest')).toBeUndefined();
  now = 60_000;
  expect(await uploadAndEnd('attacker', tooSlow)).toBe('takes too long');
});

it('hanging up while a file opens is as costly as waiting for its end', async () => {
  const { upload, times, uploadAndEnd } = setUp();
  for (let sent = 0; sent < 3; sent += 1) {
    const hungUp = new AbortController();
    const first = upload('attacker', 'slow', hungUp.signal);
    hungUp.abort(new Error('hung up'));
    await first;
  }
  await uploadAndEnd('attacker');
  expect(times.at(-1)).toBe(1_500);
});
