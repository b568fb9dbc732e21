import { afterAll, expect, it } from 'vitest';
import type { FaultRow } from './fault-row.ts';
import { judge } from './judge.ts';
import { rows } from './rows.ts';
import { isInstalled } from './installed.ts';
import { type FaultWorld, startFaultWorld } from './world.ts';

/** `npm run faults` sets it to the rows that are run. `npm test` has the short campaign instead, and tests of each problem that names a fault. */
const selected = process.env['FAULTS'];
const lengths = (process.env['FAULT_SECONDS'] ?? '5,30,120').split(',').map(Number);
const possible = rows.filter(({ needs }) => needs === undefined || isInstalled(needs));
const chosen = selected === undefined ? [] : possible.filter(({ name }) => new RegExp(selected, 'i').test(name));
const cases = chosen.flatMap((row) =>
  [...(row.mayStayUnnamed ? [] : ['until named' as const]), ...lengths].map((seconds) => ({ row, seconds })),
);

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

// A file without a test fails.
it.skipIf(cases.length > 0)('runs no row: none has the name that is asked for', () => {});

it.each(cases)('$row.name ($seconds): it ends with every payment issued once, and all is well', async ({ row, seconds }) => {
  const used = await worldOf(row);
  const figures = await judge(used, row, seconds).catch((error: unknown) => {
    console.log(used.run.logTails());
    throw error;
  });
  console.log(JSON.stringify(figures));
  if (seconds === 'until named') expect(figures.named).toBeDefined();
});
