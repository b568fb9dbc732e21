// Credits through the whole sandbox, as a partner and a bank would see it: accepted over HTTP, minted, indexed, settled.
// Usage: npm run bench [-- credits], by default with 5,000 credits.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import Table from 'cli-table3';
import { Pool } from 'pg';
import { privateKeyToAccount } from 'viem/accounts';
import { type Client, createClient } from '../src/client/client.ts';
import { type BenchSandbox, startBenchSandbox } from './sandbox.ts';

const linkMessage = 'I hereby declare that I am the address owner.';
const burst = Number(process.argv[2] ?? 5_000);
const steadyRate = 10;
const steadySeconds = 30;

const sandbox = await startBenchSandbox();
try {
  const client = createClient({ baseUrl: sandbox.file.apiUrl, ...sandbox.file.applications.private });
  const iban = await openAccount(client, sandbox);
  await run(client, iban, 50);
  await delay(3_000);
  await burstOf(client, iban);
  await steady(client, iban);
  printMemory(sandbox);
} finally {
  await sandbox.stop();
}

/** Links an address on chiado and waits for its IBAN. */
async function openAccount(client: Client, { file }: BenchSandbox): Promise<string> {
  const account = privateKeyToAccount(file.accounts[0]?.privateKey as `0x${string}`);
  const signature = await account.signMessage({ message: linkMessage });
  await client.request('POST', '/addresses', { address: account.address, chain: 'chiado', message: linkMessage, signature });
  await client.request('POST', '/ibans', { address: account.address, chain: 'chiado' });
  for (;;) {
    const { body } = await client.request<{ ibans: { iban?: string; state: string }[] }>('GET', '/ibans');
    const [found] = body.ibans;
    if (found?.state === 'approved') return found.iban as string;
    await delay(100);
  }
}

/** Posts `count` credits with as many requests under way as a bank's connection would have. */
async function run(client: Client, iban: string, count: number): Promise<void> {
  let left = count;
  const post = async () => {
    while (left-- > 0) await postCredit(client, iban);
  };
  await Promise.all(Array.from({ length: 32 }, post));
}

function postCredit(client: Client, iban: string) {
  const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
  return client.request('POST', '/sandbox/credits', {
    iban,
    amount: '1.00',
    currency: 'eur',
    payer,
    remittance: 'bench',
    reference: randomUUID(),
  });
}

async function burstOf(client: Client, iban: string): Promise<void> {
  const pool = new Pool({ connectionString: sandbox.databaseUrl });
  const since = new Date();
  const began = performance.now();
  await run(client, iban, burst);
  const accepted = performance.now() - began;
  await processed(pool, since);
  const { rows } = await pool.query<Record<string, number>>(
    `with o as (select placed_at, processed_at from ledger.orders where placed_at >= $1),
       t as (select distinct tx.id, tx.gas_used from ledger.transactions tx where tx.created_at >= $1)
     select extract(epoch from max(processed_at) - min(processed_at))::float8 as drain,
       extract(epoch from max(processed_at) - min(placed_at))::float8 as total,
       percentile_cont(0.5) within group (order by extract(epoch from processed_at - placed_at))::float8 as median,
       percentile_cont(0.99) within group (order by extract(epoch from processed_at - placed_at))::float8 as p99,
       (select count(*) from t)::int as transactions, (select sum(gas_used) from t)::float8 as gas
     from o`,
    [since],
  );
  const [row = {}] = rows;
  print(`${burst} credits at once, one network, 1 s blocks`, [
    ['accepted', `${Math.round(burst / (accepted / 1_000))} credits/s`],
    ['processed, from first placed to last processed', `${Math.round(burst / (row.total ?? 1))} credits/s`],
    ['processed, after the first block', `${Math.round(burst / (row.drain ?? 1))} credits/s`],
    ['placed to processed', `median ${row.median?.toFixed(2)} s, 99th percentile ${row.p99?.toFixed(2)} s`],
    ['transactions', String(row.transactions)],
    ['gas per credit', String(Math.round((row.gas ?? 0) / burst))],
  ]);
  await pool.end();
}

async function steady(client: Client, iban: string): Promise<void> {
  const pool = new Pool({ connectionString: sandbox.databaseUrl });
  const since = new Date();
  const posts: Promise<unknown>[] = [];
  for (let index = 0; index < steadyRate * steadySeconds; index += 1) {
    posts.push(postCredit(client, iban));
    await delay(1_000 / steadyRate);
  }
  await Promise.all(posts);
  await processed(pool, since);
  const { rows } = await pool.query<Record<string, number>>(
    `select percentile_cont(0.5) within group (order by s)::float8 as median, percentile_cont(0.95) within group (order by s)::float8 as p95,
       percentile_cont(0.99) within group (order by s)::float8 as p99
     from (select extract(epoch from processed_at - placed_at) as s from ledger.orders where placed_at >= $1) o`,
    [since],
  );
  const [row = {}] = rows;
  print(`${steadyRate} credits a second for ${steadySeconds} s`, [
    ['placed to processed', `median ${row.median?.toFixed(2)} s, 95th ${row.p95?.toFixed(2)} s, 99th percentile ${row.p99?.toFixed(2)} s`],
  ]);
  await pool.end();
}

async function processed(pool: Pool, since: Date): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ open: number }>(
      `select count(*)::int as open from ledger.orders where placed_at >= $1 and state in ('placed', 'pending')`,
      [since],
    );
    if (rows[0]?.open === 0) return;
    await delay(100);
  }
}

function printMemory({ processes }: BenchSandbox): void {
  print(
    'memory (resident, peak)',
    processes().map(({ pid, name }) => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const megabytes = (key: string) => Math.round(Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1_024);
      return [name, `${megabytes('VmRSS')} MB, ${megabytes('VmHWM')} MB`];
    }),
  );
}

function print(title: string, rows: [string, string][]): void {
  const table = new Table({ style: { head: [], border: [] } });
  table.push(...rows);
  console.log(`\n${title}\n${table.toString()}`);
}
