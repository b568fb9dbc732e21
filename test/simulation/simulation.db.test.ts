import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import type { SimulatedDatabase } from './ledger/simulated-database.ts';
import { runSeed } from './run.ts';
import { openSimulation } from './simulation-database.ts';

/** The first seeds; `npm run simulate` runs as many as one likes. */
const seeds = Array.from({ length: 3 }, (_, index) => index + 1);

let testDatabase: TestDatabase;
let database: SimulatedDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await openSimulation(testDatabase.url);
});

afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

describe('the chain side in bad weather', () => {
  it.each(seeds)('does everything exactly once, and nothing stays stuck: seed %i', async (seed) => {
    const { violations } = await runSeed(seed, database, testDatabase.url);
    expect(violations).toEqual([]);
  });

  it('does the same when a seed is replayed', async () => {
    const first = await runSeed(7, database, testDatabase.url);
    expect(first.violations).toEqual([]);
    const second = await runSeed(7, database, testDatabase.url);
    expect(second.trace).toEqual(first.trace);
    expect(second.traceHash).toBe(first.traceHash);
  });
});
