import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import Table from 'cli-table3';
import { createLedger } from '../../src/ledger/ledger.ts';
import { migrateLedger } from '../../src/schema/migrate.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { createPool } from '../../src/platform/database.ts';
import { startEmbeddedPostgres } from '../../sandbox/postgres/embedded-postgres.ts';
import { removePostgresHome } from '../../sandbox/postgres/postgres-home.ts';
import { judged } from '../report.ts';
import { createExplainingPool, type ExecutedPlan, growingTables, growthOf, type PlanMode } from './executed-plans.ts';
import { generateHistory } from './generate.ts';
import { type HotQuery, hotQueries } from './hot-queries.ts';
import { historySettings } from './networks.ts';

/** Three years. */
const historyDays = 1_095;

/** How often each query is measured. */
const samples = 50;

/** A query with how long its answers took, in milliseconds, and what of its plans grows with history. */
export interface Answer {
  name: string;
  median: number;
  p99: number;
  growth: string;
}

/** Milliseconds within which a query is answered: as a rule, and 99 times of 100. */
const [withinMs, p99WithinMs] = [10, 25];

/** Rows of a growing table that a query may read: what is open, and what a list counts. */
const mostRows = 15_000;

/** Generates a ledger with that many orders, and measures what is asked of it continuously. */
export async function benchHistory(orders: number): Promise<Answer[]> {
  return withGeneratedLedger(orders, async (databaseUrl) => measure(databaseUrl, orders));
}

/** Generates a ledger with that many orders on a PostgreSQL of its own, which is gone afterwards. */
export async function withGeneratedLedger<Result>(orders: number, use: (databaseUrl: string) => Promise<Result>): Promise<Result> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-bench-'));
  // Root's database runs as another user, who must be able to enter.
  chmodSync(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  try {
    const databaseUrl = await createDatabase(postgres.url('postgres'), postgres.url('history'));
    const startedAt = performance.now();
    await generateHistory(databaseUrl, {
      orders,
      days: historyDays,
      open: Math.min(5_000, Math.floor(orders / 40)),
      customers: 20_000,
      batch: 40,
    });
    console.log(`${orders.toLocaleString('en')} orders generated in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    return await use(databaseUrl);
  } finally {
    await postgres.close();
    removePostgresHome(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function createDatabase(administration: string, databaseUrl: string): Promise<string> {
  const client = new Client({ connectionString: administration });
  await client.connect();
  // Checkpoints would write the same pages again and again.
  await client.query(`alter system set max_wal_size = '6GB'`);
  await client.query('select pg_reload_conf()');
  await client.query('create database history');
  await client.end();
  await migrateLedger(databaseUrl);
  return databaseUrl;
}

/** Measures a ledger that {@link generateHistory} has filled. */
async function measure(databaseUrl: string, orders: number): Promise<Answer[]> {
  const pool = createPool({ connectionString: databaseUrl });
  const ledger = createLedger(pool, wakesNobody);
  try {
    const times = await measureTimes(await hotQueries({ ledger, pool, settings: historySettings(databaseUrl) }));
    const growth = await examinePlans(databaseUrl, await growingTables(pool));
    const table = new Table({ style: { head: [], border: [] }, head: ['query', 'median', 'p99', 'verdict', 'grows with history'] });
    const answers = [...times].map(([name, { median, p99 }]): Answer => ({ name, median, p99, growth: growth.get(name) ?? '' }));
    for (const answer of answers) {
      const isGood = answer.median <= withinMs && answer.p99 <= p99WithinMs && answer.growth === '';
      const verdict = judged('', isGood, `${withinMs} ms, p99 ${p99WithinMs} ms`).trim();
      table.push([answer.name, milliseconds(answer.median), milliseconds(answer.p99), verdict, answer.growth]);
    }
    const { rows } = await pool.query<{ size: string }>('select pg_size_pretty(pg_database_size(current_database())) as size');
    console.log(`\nhistory of ${orders.toLocaleString('en')} orders, ${rows[0]?.size}\n${table.toString()}`);
    return answers;
  } finally {
    await ledger.destroy();
  }
}

async function measureTimes(queries: readonly HotQuery[]): Promise<Map<string, { median: number; p99: number }>> {
  const measured = new Map<string, { median: number; p99: number }>();
  for (const { name, ask } of queries) {
    const times: number[] = [];
    for (let sample = 0; sample < samples; sample += 1) {
      const startedAt = performance.now();
      await ask();
      times.push(performance.now() - startedAt);
    }
    // The first ones prepare the statements.
    const sorted = times.slice(2).toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
    measured.set(name, { median: at(0.5), p99: at(0.99) });
  }
  return measured;
}

/** What of each query's plans grows with history, by the query's name. */
async function examinePlans(databaseUrl: string, growing: ReadonlySet<string>): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const mode of ['custom', 'generic'] as const)
    await withPlans(databaseUrl, mode, async (queries, take) => {
      for (const { name, ask } of queries) {
        // The first time fills the caches of the connection, and marks rows that are dead: both visit pages that no later time does.
        await ask();
        take();
        await ask();
        const growth = new Set(take().flatMap((plan) => growthOf(plan, growing, mostRows)));
        if (growth.size > 0) found.set(name, [...growth].join(', '));
      }
    });
  return found;
}

async function withPlans(databaseUrl: string, mode: PlanMode, work: (queries: HotQuery[], take: () => ExecutedPlan[]) => Promise<void>) {
  const { pool, take } = createExplainingPool(databaseUrl, mode);
  const ledger = createLedger(pool, wakesNobody);
  try {
    await work(await hotQueries({ ledger, pool, settings: historySettings(databaseUrl) }), take);
  } finally {
    await ledger.destroy();
  }
}

function milliseconds(time: number): string {
  return `${time.toFixed(1)} ms`;
}
