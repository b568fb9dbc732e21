import { randomInt } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { seededRandom, shuffled } from '../scenarios/seeded-random.ts';
import type { FaultRow } from './fault-row.ts';
import { judge } from './judge.ts';
import { rows } from './rows.ts';
import { isInstalled } from './installed.ts';
import { type FaultWorld, startFaultWorld } from './world.ts';

/** `npm run faults` sets it to the rows that are run at length; without it two are, by the seed, each until it is named. */
const selected = process.env['FAULTS'];
const lengths = (process.env['FAULT_SECONDS'] ?? '5,30,120').split(',').map(Number);
const seed = Number(process.env['FAULT_SEED'] ?? randomInt(2 ** 31));
const possible = rows.filter(({ needs }) => needs === undefined || isInstalled(needs));
const byChance = shuffled(
  possible.filter(({ mayStayUnnamed }) => mayStayUnnamed !== true),
  seededRandom(seed),
);
const chosen =
  selected === undefined
    ? // Of the same sandbox, which takes longer to start than a row.
      byChance.filter(({ isDeployed }) => isDeployed === byChance[0]?.isDeployed).slice(0, 2)
    : possible.filter(({ name }) => new RegExp(selected, 'i').test(name));
const durations: readonly (number | 'until named')[] = selected === undefined ? ['until named'] : lengths;
const cases = chosen.flatMap((row) => durations.map((seconds) => ({ row, seconds })));

let world: FaultWorld | undefined;
afterAll(() => world?.stop());

/** The sandbox that the row before has used, or another where it needs another. */
async function worldOf({ isDeployed = false }: FaultRow): Promise<FaultWorld> {
  if (world !== undefined && (world.deployment !== undefined) !== isDeployed) {
    await world.stop();
    world = undefined;
  }
  return (world ??= await startFaultWorld(isDeployed));
}

it.each(cases)(
  `$row.name ($seconds): it ends with every payment issued once, and all is well (FAULT_SEED=${seed})`,
  async ({ row, seconds }) => {
    const used = await worldOf(row);
    const figures = await judge(used, row, seconds).catch((error: unknown) => {
      console.log(used.run.logTails());
      throw error;
    });
    if (selected !== undefined) console.log(JSON.stringify(figures));
    if (seconds === 'until named') expect(figures.named).toBeDefined();
  },
);
