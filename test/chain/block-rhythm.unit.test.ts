import { describe, expect, it } from 'vitest';
import { createBlockRhythm } from '../../src/chain/block-rhythm.ts';

/** What is known after blocks were noticed at these times. */
function quietAfter(times: number[], blocksEach = 1): number {
  let time = 0;
  const rhythm = createBlockRhythm(() => time);
  for (const [index, at] of times.entries()) {
    time = at;
    rhythm.noticed(BigInt(index * blocksEach));
  }
  return rhythm.quietMs();
}

describe('the rhythm of blocks', () => {
  it('is known after some that came regularly, as they are noticed a little late', () => {
    expect(quietAfter([0, 1_000, 2_000, 3_000])).toBe(0);
    expect(quietAfter([0, 1_000, 2_200, 3_000, 4_200])).toBe(640);
  });

  it('counts blocks that came between two looks', () => {
    expect(quietAfter([0, 1_000, 2_000, 3_000, 4_000], 4)).toBe(200);
  });

  it('is none where blocks come irregularly', () => {
    expect(quietAfter([0, 1_000, 2_000, 3_000, 9_000])).toBe(0);
    expect(quietAfter([0, 1_000, 1_050, 2_000, 3_000])).toBe(0);
  });
});
