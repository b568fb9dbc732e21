import { expect, it } from 'vitest';
import { createBlockHeights } from '../../src/chain/endpoints/block-heights.ts';

const method = 'eth_blockNumber';

/** The first of three endpoints, whose newest block is asked for five times in the time of a block, at least every two seconds; `others` is what the others have. */
function start(blockTimeSeconds: number) {
  let time = 0;
  let unsure = 0;
  const heights = createBlockHeights(blockTimeSeconds, () => time);
  const pollMs = Math.min(blockTimeSeconds * 200, 2_000);
  const noteOthers = (block: bigint) =>
    ['second', 'third'].forEach((name) => heights.note({ name, method }, block, heights.ofOthers(name)));
  /** What is thought of the first when it names this block; where that is in doubt, the others are asked. */
  const poll = (block: bigint, others: bigint) => {
    time += pollMs;
    const verdict = heights.note({ name: 'first', method }, block, heights.ofOthers('first'));
    if (verdict === 'unsure') {
      unsure += 1;
      noteOthers(others);
    }
    return verdict;
  };
  noteOthers(100n);
  poll(100n, 100n);
  return { poll, pollMs, noteOthers, unsure: () => unsure };
}

it.each([0.25, 1, 2, 5, 12])(
  'an endpoint that stands still is behind soon after the next block is due, with a block each %d s',
  (blockTime) => {
    const { poll, pollMs, unsure } = start(blockTime);
    let milliseconds = 0;
    let verdict;
    do {
      milliseconds += pollMs;
      verdict = poll(100n, 100n + BigInt(Math.floor(milliseconds / 1_000 / blockTime)));
    } while (verdict !== 'behind');
    expect(milliseconds - blockTime * 1_000).toBeLessThanOrEqual(1_000 + 2 * pollMs);
    expect(unsure()).toBe(1);
  },
);

it('an endpoint that goes back by more than endpoints differ is behind at once, and less is no reason to ask the others', () => {
  const { poll, unsure } = start(1);
  expect([110n, 107n, 110n].map((block) => poll(block, block))).toEqual(['current', 'current', 'current']);
  expect(unsure()).toBe(0);
  expect([poll(105n, 110n), poll(105n, 110n)]).toEqual(['unsure', 'behind']);
  expect(unsure()).toBe(1);
});

it('an endpoint that lags by a block and goes on is not behind, and the others are not asked', () => {
  const { poll, noteOthers, unsure } = start(1);
  for (let count = 0n; count < 1_000n; count += 1n) {
    if (count % 50n === 0n) noteOthers(101n + count / 5n);
    expect(poll(100n + count / 5n, 101n + count / 5n)).toBe('current');
  }
  expect(unsure()).toBe(0);
});

it('a chain that stands still for hours makes the others be asked a few times', () => {
  const { poll, unsure } = start(1);
  const verdicts = Array.from({ length: 100_000 }, () => poll(100n, 100n));
  expect(verdicts).not.toContain('behind');
  expect(unsure()).toBeLessThan(20);
});

it.each([1, 7, 30, 600])(
  'a chain that has a block each %d s, of which one each second is expected, makes them be asked seldom',
  (seconds) => {
    const { poll, pollMs, unsure } = start(1);
    const blocks = Array.from({ length: 20_000 }, (_, count) => 100n + BigInt(Math.floor((count * pollMs) / 1_000 / seconds)));
    expect(blocks.map((block) => poll(block, block))).not.toContain('behind');
    expect(unsure() / blocks.length).toBeLessThanOrEqual(0.1);
  },
);

it('a first endpoint that jumps between two nodes makes the others be asked seldom also when they have the lower block', () => {
  const { poll, unsure } = start(1);
  const verdicts = Array.from({ length: 20_000 }, (_, count) => poll(count % 2 === 0 ? 110n : 100n, 100n));
  expect(verdicts).not.toContain('behind');
  expect(unsure() / verdicts.length).toBeLessThanOrEqual(0.1);
});

it('an endpoint may be a little ahead of the first of the others, and of what they may have got since', () => {
  let time = 0;
  const heights = createBlockHeights(5, () => time);
  const note = (name: string, block: bigint) => heights.note({ name, method }, block, heights.ofOthers(name));
  note('first', 1_000n);
  expect(heights.mostOf('first')).toBeUndefined();
  note('second', 100n);
  expect(heights.mostOf('first')).toBe(164n);
  note('third', 98n);
  expect(heights.mostOf('first')).toBe(102n);
  time += 10_000;
  expect(heights.mostOf('first')).toBe(106n);
  // It stands still, and is no reason to disbelieve who does not.
  note('second', 100n);
  expect(heights.mostOf('first')).toBe(106n);
  note('second', 102n);
  expect(heights.mostOf('first')).toBe(104n);
  time += 60_000;
  expect(heights.mostOf('first')).toBeUndefined();
});
