import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import Table from 'cli-table3';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { migrateLedger } from '../../src/ledger/migrate.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { startEmbeddedPostgres } from '../../src/platform/process/embedded-postgres.ts';
import { removePostgresHome } from '../../src/platform/process/postgres-home.ts';
import { judged } from '../report.ts';
import { generateHistory } from './generate.ts';
import { historySettings } from './networks.ts';
import { examinePlans } from './plans.ts';
import { bookSecond, type Question, questionsOf } from './questions.ts';
import { createRecordedPool, type RecordedPool } from './recorded-pool.ts';

/** Three years. */
const historyDays = 1_095;

/** How often each question is asked. */
const samples = 50;

/** A question with how long its answers took, in milliseconds, and the tables that it reads whole. */
export interface Answer {
  name: string;
  median: number;
  p99: number;
  scanned: string[];
}

/** Generates a ledger with that many orders, and measures what is asked of it continuously. */
export async function benchHistory(orders: number): Promise<Answer[]> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-bench-'));
  // Root's database runs as another user, who must be able to enter.
  chmodSync(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir });
  try {
    const databaseUrl = await createDatabase(postgres.url('postgres'), postgres.url('history'));
    await generateHistory(databaseUrl, { orders, days: historyDays, open: Math.min(5_000, Math.floor(orders / 40)), customers: 20_000 });
    return await measure(databaseUrl, orders);
  } finally {
    await postgres.close();
    removePostgresHome(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function createDatabase(administration: string, databaseUrl: string): Promise<string> {
  const client = new Client({ connectionString: administration });
  await client.connect();
  await client.query('create database history');
  await client.end();
  await migrateLedger(databaseUrl);
  return databaseUrl;
}

/** Measures a ledger that {@link generateHistory} has filled. */
export async function measure(databaseUrl: string, orders: number): Promise<Answer[]> {
  const recorded = createRecordedPool(databaseUrl);
  const ledger = createLedger(recorded.pool, wakesNobody);
  try {
    const table = new Table({
      style: { head: [], border: [] },
      head: ['asked', 'median', 'p99', 'verdict', 'partitions', 'tables read whole'],
    });
    const answers: Answer[] = [];
    for (const question of await questionsOf(ledger, historySettings(databaseUrl))) {
      const { cells, ...figures } = await answer(question, ledger, recorded);
      table.push(cells);
      answers.push(figures);
    }
    const { rows } = await recorded.pool.query<{ size: string }>('select pg_size_pretty(pg_database_size(current_database())) as size');
    console.log(`\nhistory of ${orders.toLocaleString('en')} orders, ${rows[0]?.size}\n${table.toString()}`);
    return answers;
  } finally {
    await ledger.destroy();
  }
}

async function answer({ name, withinMs, ask }: Question, ledger: Ledger, recorded: RecordedPool): Promise<Answer & { cells: string[] }> {
  const times: number[] = [];
  for (let sample = 0; sample <= samples; sample += 1) {
    if (name.startsWith('roll-forward')) await bookSecond(ledger);
    recorded.take();
    const startedAt = performance.now();
    await ask();
    // The first one warms up.
    if (sample > 0) times.push(performance.now() - startedAt);
  }
  const { scanned, partitions } = await examinePlans(recorded.pool, recorded.take());
  const sorted = times.toSorted((a, b) => a - b);
  const [median, p99] = [0.5, 0.99].map((share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number) as [
    number,
    number,
  ];
  const isGood = median <= withinMs && scanned.length === 0;
  const verdict = judged('', isGood, `${withinMs} ms`).trim();
  const cells = [name, milliseconds(median), milliseconds(p99), verdict, String(partitions), scanned.join(', ')];
  return { name, median, p99, scanned, cells };
}

function milliseconds(time: number): string {
  return `${time.toFixed(1)} ms`;
}
