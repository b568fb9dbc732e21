import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../sandbox/postgres/embedded-postgres.ts';
import { removePostgresHome } from '../sandbox/postgres/postgres-home.ts';
import type { Results } from './figures.ts';

/** How fast the machine is at what does not change with the project: only runs on a machine of one speed can be compared. */
export interface MachineSpeed {
  /** Turns of an integer loop on one core, in millions a second. */
  loop: number;
  /** Reads of a row by one connection to a PostgreSQL of its own, each a statement, per second. */
  reads: number;
  /** Updates of a row by the same, each with a commit that waits for the disk, per second. */
  commits: number;
}

/** How long each figure is measured. */
const measuredMs = 700;

/** Measures the machine, in some four seconds. */
export async function machineSpeed(): Promise<MachineSpeed> {
  return { loop: loopSpeed(), ...(await statementSpeed()) };
}

/** Records a machine's speed before a run. Where it is another one after the run, the note says so. */
export function recordSpeed(results: Results, before: MachineSpeed, after: MachineSpeed): void {
  for (const [key, figure] of [
    ['loop', 'machineLoop'],
    ['reads', 'machineReads'],
    ['commits', 'machineCommits'],
  ] as const)
    results.record(figure, before[key], `afterwards ${Math.round(after[key]).toLocaleString('en')}`);
}

function loopSpeed(): number {
  const turnsAtOnce = 1_000_000;
  // A linear congruential generator: each turn needs the one before it, so that nothing is left out.
  let value = 1;
  let turns = 0;
  const startedAt = performance.now();
  let elapsedMs = 0;
  while (elapsedMs < measuredMs) {
    for (let turn = 0; turn < turnsAtOnce; turn += 1) value = (Math.imul(value, 1_664_525) + 1_013_904_223) | 0;
    turns += turnsAtOnce;
    elapsedMs = performance.now() - startedAt;
  }
  if (value === 0.5) throw new Error('The loop was not carried out');
  return turns / 1_000 / elapsedMs;
}

async function statementSpeed(): Promise<Omit<MachineSpeed, 'loop'>> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-bench-'));
  // Root's database runs as another user, who must be able to enter.
  chmodSync(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir });
  const client = new Client({ connectionString: postgres.url('postgres') });
  try {
    await client.connect();
    await client.query('create table accounts (id int primary key, balance int not null)');
    await client.query('insert into accounts select n, 0 from generate_series(1, 1000) n');
    const perSecond = async (name: string, text: string) => {
      let count = 0;
      const startedAt = performance.now();
      while (performance.now() - startedAt < measuredMs) {
        await client.query({ name, text, values: [1 + (count % 1_000)] });
        count += 1;
      }
      return (count * 1_000) / (performance.now() - startedAt);
    };
    return {
      reads: await perSecond('read', 'select balance from accounts where id = $1'),
      commits: await perSecond('commit', 'update accounts set balance = balance + 1 where id = $1'),
    };
  } finally {
    await client.end();
    await postgres.close();
    removePostgresHome(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  }
}
