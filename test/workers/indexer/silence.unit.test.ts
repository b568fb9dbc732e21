import { expect, it } from 'vitest';
import { createSilenceWatch } from '../../../src/workers/indexer/silence.ts';

it('is noticed once the same sign has come for longer than the limit, and then counted anew', () => {
  let now = 0;
  const isSilent = createSilenceWatch(100, () => now);
  const at = (time: number, sign: string | undefined) => {
    now = time;
    return isSilent(sign);
  };
  expect([at(0, undefined), at(100, undefined), at(150, 'a'), at(250, 'a'), at(251, 'a')]).toEqual([false, false, false, false, true]);
  expect([at(260, 'a'), at(360, 'a'), at(361, 'b'), at(461, 'b'), at(462, 'b')]).toEqual([false, false, false, false, true]);
});
