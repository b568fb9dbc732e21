import { expect, it } from 'vitest';
import { memoryFlags } from '../../src/cli/node-runtime.mjs';

it.each([
  [
    ['worker', '--chain', 'gnosis', '--chain', 'chiado'],
    ['--max-semi-space-size=4', '--max-old-space-size=224'],
  ],
  [
    ['--settings', 'production.env', 'api'],
    ['--max-semi-space-size=4', '--max-old-space-size=160'],
  ],
  [['orders', 'list', '--chain', 'gnosis'], []],
])('mintrail %s limits its heap where it runs until it is stopped, and starts at once otherwise', (args, flags) => {
  expect(memoryFlags(args)).toEqual(flags);
});
