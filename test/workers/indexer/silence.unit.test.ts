import { expect, it } from 'vitest';
import { createSilenceWatch } from '../../../src/workers/indexer/silence.ts';

it('lasts since the same sign was first read, and begins anew after a pause in which nothing was read', () => {
  let now = 0;
  const silentSince = createSilenceWatch(() => now);
  const at = (time: number, sign: string | undefined) => {
    now = time;
    return silentSince(sign);
  };
  expect([at(1_000, undefined), at(9_000, undefined), at(12_000, 'a'), at(22_000, 'a'), at(24_000, 'b')]).toEqual([
    1_000, 1_000, 12_000, 12_000, 24_000,
  ]);
  expect([at(34_000, 'b'), at(44_001, 'b')]).toEqual([24_000, 44_001]);
});
