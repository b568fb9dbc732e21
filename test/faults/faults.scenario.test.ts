import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom, shuffled } from '../scenarios/seeded-random.ts';
import { judge } from './judge.ts';
import { rows } from './rows.ts';
import { isInstalled } from './dependencies.ts';
import { type FaultWorld, startFaultWorld } from './world.ts';

/** `npm run faults` sets it to the rows that are run at length; without it two are, by the seed, each until it is named. */
const selected = process.env['FAULTS'];
const lengths = (process.env['FAULT_SECONDS'] ?? '5,30,120').split(',').map(Number);
const seed = Number(process.env['FAULT_SEED'] ?? randomInt(2 ** 31));
const possible = rows.filter(({ needs }) => needs === undefined || isInstalled(needs));
const chosen =
  selected === undefined
    ? shuffled(
        possible.filter(({ mayStayUnnamed }) => mayStayUnnamed !== true),
        seededRandom(seed),
      ).slice(0, 2)
    : possible.filter(({ name }) => new RegExp(selected, 'i').test(name));
const durations: readonly (number | 'until named')[] = selected === undefined ? ['until named'] : lengths;
const cases = chosen.flatMap((row) => durations.map((seconds) => ({ row, seconds })));

let world: FaultWorld;
beforeAll(async () => {
  world = await startFaultWorld();
});
afterAll(() => world?.stop());

it.each(cases)(
  `$row.name ($seconds): it ends with every payment issued once, and all is well (FAULT_SEED=${seed})`,
  async ({ row, seconds }) => {
    const figures = await judge(world, row, seconds).catch((error: unknown) => {
      console.log(world.run.logTails());
      throw error;
    });
    if (selected !== undefined) console.log(JSON.stringify(figures));
    if (seconds === 'until named') expect(figures.named).toBeDefined();
  },
);
