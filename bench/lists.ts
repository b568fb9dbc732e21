import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '../client/index.ts';
import { judged, print } from './report.ts';
import type { BenchSandbox } from './sandbox.ts';

const profiles = 400_000;
const orders = 20_000;
const atOnce = 10;

/** Most that the API's memory may grow: its heap is bounded by 160 MB (src/cli/node-runtime.mjs), and it has to stay far from that. */
const mostGrowthMegabytes = 120;

interface SandboxFile {
  apiUrl: string;
  profile: string;
  applications: Record<'private' | 'whitelabel', { clientId: string; clientSecret: string }>;
}

/** Measures lists of a partner with 400,000 profiles and of a profile with 20,000 orders, ten requests at once. */
export async function benchLists(sandbox: BenchSandbox): Promise<void> {
  const file = JSON.parse(readFileSync(path.join(sandbox.dataDir, 'sandbox.json'), 'utf8')) as SandboxFile;
  await fill(sandbox, file);
  const { private: own, whitelabel } = file.applications;
  const [customer, partner] = [own, whitelabel].map((credentials) =>
    createClient({ baseUrl: file.apiUrl, ...credentials, timeout: 300_000 }),
  );
  if (!customer || !partner) throw new Error('the sandbox has no applications');
  const before = apiMegabytes(sandbox).resident;
  const rows: [string, string][] = [];
  for (const [name, read] of [
    ['GET /profiles', async () => (await partner.get('/profiles')).profiles.length],
    ['GET /profiles?limit=500', async () => (await partner.get('/profiles', { query: { limit: 500 } })).profiles.length],
    ['GET /auth/context', async () => (await partner.get('/auth/context')).profiles.length],
    ['GET /orders', async () => (await customer.get('/orders')).orders.length],
  ] as const) {
    const startedAt = performance.now();
    await read();
    const alone = performance.now() - startedAt;
    const counts = await Promise.all(Array.from({ length: atOnce }, read));
    const together = performance.now() - startedAt - alone;
    rows.push([`${name}, ${counts[0]} rows`, `${Math.round(alone)} ms alone, ${Math.round(together)} ms for ${atOnce} at once`]);
  }
  const { peak } = apiMegabytes(sandbox);
  const growth = Math.round(peak - before);
  rows.push(['memory of the API', judged(`${growth} MB more at most`, growth <= mostGrowthMegabytes, `at most ${mostGrowthMegabytes} MB`)]);
  print(`lists over ${profiles.toLocaleString('en')} profiles and ${orders.toLocaleString('en')} orders`, rows);
}

async function fill({ pool }: BenchSandbox, { profile, applications }: SandboxFile): Promise<void> {
  await pool.query(
    `insert into profiles (id, kind, name, state, application, created_at)
     select gen_random_uuid(), 'personal', 'Customer ' || n, 'incomplete', $1, now() + n * interval '1 ms' from generate_series(1, $2::int) n`,
    [applications.whitelabel.clientId, profiles],
  );
  // Rejected: they move no money, so nothing else in the sandbox is disturbed.
  await pool.query(
    `insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, state, rejected_reason, placed_at)
     select gen_random_uuid(), 'redeem', $1, '0x' || repeat('1', 40), 'chiado', 'eur', n,
       '{"identifier": {"standard": "iban", "iban": "DE89370400440532013000"}, "details": {"name": "Max Mustermann", "country": "DE"}}',
       'Invoice ' || n, 'rejected', 'bench', now() - n * interval '1 second'
     from generate_series(1, $2::int) n`,
    [profile, orders],
  );
  await pool.query('analyze profiles, orders');
}

function apiMegabytes(sandbox: BenchSandbox): { resident: number; peak: number } {
  const api = sandbox.processes().find(({ name }) => name.endsWith(' api'));
  if (!api) throw new Error('the API does not run any more');
  return api;
}
