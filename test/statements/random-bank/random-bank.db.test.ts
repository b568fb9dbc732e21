import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestRail, type TestRail } from '../bank-rail.ts';
import { runSeed } from './run-seed.ts';

// `npm run bank -- --seeds 2000` runs more, and `--seed 17` replays one with its files.
const first = Number(process.env['BANK_SEED'] ?? process.env['BANK_FIRST'] ?? 1);
const count = process.env['BANK_SEED'] === undefined ? Number(process.env['BANK_SEEDS'] ?? 25) : 1;
const second = 1_000;

let rail: TestRail;

beforeAll(async () => {
  rail = await createTestRail();
});
afterAll(() => rail.close());

it(
  `every payment of a random bank is there once, however it is reported: ${count} seeds`,
  { timeout: 60 * second + count * second },
  async () => {
    const failed: string[] = [];
    for (let seed = first; seed < first + count; seed += 1) {
      const { violations, trace } = await runSeed(seed, rail).catch((error: Error) => ({ violations: [error.message], trace: [] }));
      if (process.env['BANK_SEED'] !== undefined) console.info(trace.join('\n'));
      failed.push(...violations.map((violation) => `seed ${seed}: ${violation}`));
    }
    expect(failed).toEqual([]);
  },
);
