import { describe, expect, it } from 'vitest';
import { runSeed } from './run.ts';
import { openSimulation } from './simulation-database.ts';
import { testLedger } from '../support/test-ledger.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

/** The first seeds; `npm run simulate` runs as many as one likes. */
const seeds = Array.from({ length: 2 }, (_, index) => index + 1);

const { url } = testLedger();
const database = forWholeFile(() => openSimulation(url));

describe('the chain side in bad weather', () => {
  it.each(seeds)('does everything exactly once, and nothing stays stuck: seed %i', async (seed) => {
    const { violations } = await runSeed(seed, database, url);
    expect(violations).toEqual([]);
  });

  it('does the same when a seed is replayed', async () => {
    const first = await runSeed(7, database, url);
    expect(first.violations).toEqual([]);
    const second = await runSeed(7, database, url);
    expect(second.trace).toEqual(first.trace);
    expect(second.traceHash).toBe(first.traceHash);
  });
});
