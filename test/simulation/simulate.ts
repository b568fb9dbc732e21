import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { commandOptions } from '../../scripts/command-options.mjs';
import { migrateLedger } from '../../src/schema/migrate.ts';
import { startEmbeddedPostgres } from '../../sandbox/postgres/embedded-postgres.ts';
import { removePostgresHome } from '../../sandbox/postgres/postgres-home.ts';
import { countFaults } from './faults.ts';
import { runSeed } from './run.ts';
import { openSimulation } from './simulation-database.ts';

const values = commandOptions(
  `npm run simulate -- --seeds 2000 [--first 5001]  runs that many seeds (50, from 1 on)
npm run simulate -- --seed 17                    replays one with its trace`,
  ['seeds', 'first', 'seed'],
);
const first = Number(values.seed ?? values.first ?? 1);
const count = values.seed === undefined ? Number(values.seeds ?? 50) : 1;

const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-simulation-'));
// Root's server runs as another user, who must be able to enter.
chmodSync(dataDir, 0o711);
const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
const faults = countFaults();
const failed: number[] = [];
try {
  const client = new Client({ connectionString: postgres.url('postgres') });
  await client.connect();
  await client.query('create database simulation');
  await client.end();
  const url = postgres.url('simulation');
  await migrateLedger(url);
  const database = await openSimulation(url);
  const startedAt = performance.now();
  for (let seed = first; seed < first + count; seed += 1) {
    const result = await runSeed(seed, database, url);
    faults.add(result.faults);
    if (values.seed !== undefined) console.log(result.trace.join('\n'));
    if (result.violations.length > 0 || values.seed !== undefined) {
      console.log(`seed ${seed} (trace ${result.traceHash}, ${result.calmTicks} blocks after the storm)`);
      for (const { invariant, text } of result.violations) console.log(`  ${invariant}: ${text}`);
    }
    if (result.violations.length > 0) failed.push(seed);
  }
  await database.close();
  printFaults();
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(`${count - failed.length} of ${count} seeds pass, in ${seconds.toFixed(1)} s (${(seconds / count).toFixed(2)} s a seed)`);
  if (failed.length > 0) console.log(`failed: ${failed.join(' ')}; replay one with npm run simulate -- --seed ${failed[0]}`);
} finally {
  await postgres.close();
  removePostgresHome(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
}

/** Deaths are shown together: there are about a hundred statements and requests before or after which a worker can die. */
function printFaults(): void {
  const deaths = faults.list().filter(isDeath);
  for (const [fault, number] of faults.list()) if (!isDeath([fault, number])) console.log(`${String(number).padStart(8)}  ${fault}`);
  for (const when of ['before', 'after']) {
    const ofThese = deaths.filter(([fault]) => fault.startsWith(`crash ${when} `));
    const sum = ofThese.reduce((total, [, number]) => total + number, 0);
    console.log(`${String(sum).padStart(8)}  crash ${when} one of ${ofThese.length} different statements and requests`);
  }
}

function isDeath([fault]: [string, number]): boolean {
  return fault.startsWith('crash ');
}

process.exitCode = failed.length > 0 ? 1 : 0;
