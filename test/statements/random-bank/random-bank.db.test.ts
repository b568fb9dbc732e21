import { expect, it } from 'vitest';
import { testRail } from '../bank-rail.ts';
import { runSeed } from './run-seed.ts';
import { longestTestMs } from '../../support/patience.ts';

// `npm run bank -- --seeds 2000` runs more, and `--seed 17` replays one with its files.
const isCampaign = process.env['BANK_SEED'] !== undefined || process.env['BANK_SEEDS'] !== undefined;
const first = Number(process.env['BANK_SEED'] ?? process.env['BANK_FIRST'] ?? 1);
const count = process.env['BANK_SEED'] === undefined ? Number(process.env['BANK_SEEDS'] ?? 2) : 1;

/** Seeds of which money was once issued twice, not issued or refused. */
const onceWrong = [
  5149, 6154, 5549, 5615, 5713, 9025, 9096, 9125, 5235, 20_022, 20_028, 20_106, 20_171, 20_175, 31_005, 50_121, 50_337, 60_042, 63, 99, 119,
  200, 238, 294, 316, 26_008, 7011,
];

const rail = testRail({ isShared: true });

it(
  `every payment of a random bank is there once, however it is reported: ${count} seeds`,
  // A campaign takes as long as its seeds.
  { timeout: longestTestMs + count * 5_000 },
  async () => {
    const failed: string[] = [];
    const seeds = Array.from({ length: count }, (_, index) => first + index);
    for (const seed of isCampaign ? seeds : [...seeds, ...onceWrong]) {
      const { violations, trace } = await runSeed(seed, rail).catch((error: Error) => ({ violations: [error.message], trace: [] }));
      if (process.env['BANK_SEED'] !== undefined) console.info(trace.join('\n'));
      failed.push(...violations.map((violation) => `seed ${seed}: ${violation}`));
    }
    expect(failed).toEqual([]);
  },
);

it('a seed decides the same in every run', async () => {
  const digests = new Set<string>();
  for (let run = 0; run < 2; run += 1) digests.add((await runSeed(first, rail)).digest);
  expect(digests.size).toBe(1);
});
