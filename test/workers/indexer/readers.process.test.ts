import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ClientRequest, get, request as httpRequest } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxReaderRows } from '../../../indexer/src/api/reader-limits.ts';
import { maxOpenRequests } from '../../../indexer/src/api/reader-turns.ts';
import { encodeIssue } from '../../../src/chain/token/calls.ts';
import { freePort } from '../../../src/platform/process/free-port.ts';
import { grantReading, makeReaderRole } from '../../../src/indexed/reader-role.ts';
import { createDatabase, createPool } from '../../../src/platform/database.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import type { Running } from '../../../src/platform/loop.ts';
import { runIndexer } from '../../../src/workers/indexer/run-indexer.ts';
import { fundedAccount, transact } from '../../support/chain/local-chain.ts';
import { operator, startTestNetwork, type TestNetwork } from '../../support/chain/network.ts';
import { until } from '../../support/until.ts';
import { testLedger } from '../../support/test-ledger.ts';

const database = testLedger();
let network: TestNetwork;
let indexer: Running;
let origin: string;

let issued = 0n;
const holder = fundedAccount(5).address;
const token = () => network.tokens.eur as `0x${string}`;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  network = await startTestNetwork({
    databaseUrl: database.url,
    env: { INDEXER_PORT: String(port), INDEXER_READER_URL: await makeReaderRole(database.url) },
  });
  await issue(25n);
  indexer = await runIndexer(network.settings, 'chiado');
  await until('the readers are served', async () => (await fetch(`${origin}/ready`).catch(() => undefined))?.ok || undefined);
});

afterAll(async () => {
  await indexer?.close();
  await network?.close();
});

async function issue(euros: bigint): Promise<void> {
  issued += 1n;
  const item = { orderId: randomUUID(), account: holder, amount: minorUnits(euros * 100n), sequence: issued };
  await transact(network.rpc, { from: operator, to: token(), data: encodeIssue([item]) });
}

const tableOf = (column: string) => column.split('.')[0] ?? '';

async function queryDatabase(text: string) {
  const client = new Client(database.url);
  await client.connect();
  try {
    return await client.query<Record<string, unknown>>(text);
  } finally {
    await client.end();
  }
}

const queryOf = (sql: string) => new URLSearchParams({ sql }).toString();
const sqlOf = (statement: string, params: unknown[] = []) => queryOf(JSON.stringify({ json: { sql: statement, params } }));
const sql = (statement: string, path = 'db', params: unknown[] = []) => fetch(`${origin}/sql/${path}?${sqlOf(statement, params)}`);
const graphql = (query: string) =>
  fetch(`${origin}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query }) });

/** Asks from another network address of this machine than `fetch` has, with the path as it is written. */
function askAsStranger(path: string, body?: string): { request: ClientRequest; status: Promise<number | undefined> } {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const { hostname, port } = new URL(origin);
  const request = httpRequest({ hostname, port, path, localAddress: '127.0.0.2', method: body === undefined ? 'GET' : 'POST', headers });
  request.once('response', (answer) => resolve(answer.resume().statusCode)).once('error', () => resolve(undefined));
  request.end(body);
  return { request, status: promise };
}

const light = `/sql/db?${sqlOf('select 1')}`;

/** Takes longer than a statement may while {@link locked} holds the table. */
const heavyStatement = (name: string) => `select count(*) as ${name} from balance`;

/** Calls `during` while no reader gets at the balances: what asks for them waits, and takes no processor time from others. */
async function locked<T>(during: () => Promise<T>): Promise<T> {
  const client = new Client(database.url);
  await client.connect();
  try {
    await client.query('begin; lock table idx_chiado.balance in access exclusive mode');
    return await during();
  } finally {
    await client.end();
  }
}

/** The statements of readers that run, or have to wait for a lock, of which the text has this part. */
async function running(part: string): Promise<string[]> {
  const { rows } = await queryDatabase(
    `select query from pg_stat_activity where usename = 'indexed_reader' and state = 'active' and position('${part}' in query) > 0`,
  );
  return rows.map(({ query }) => query as string);
}

/** What has run at the same time until `end`, looked at again and again. */
async function sampleRunning(part: string, end: Promise<unknown>): Promise<string[][]> {
  const samples: string[][] = [];
  const ended = end.then(() => undefined);
  for (;;) {
    const sample = await Promise.race([ended, running(part)]);
    if (sample === undefined) return samples;
    samples.push(sample);
    await delay(20);
  }
}

describe('readers of indexed rows', () => {
  it('ask in SQL', async () => {
    const answer = await sql('with held as (select * from balance) select account, amount::text from held order by account; ');
    expect(await answer.json()).toMatchObject({ rows: [{ account: holder.toLowerCase(), amount: '25000000000000000000' }] });
  });

  it('ask in GraphQL', async () => {
    const answer = await graphql(
      '{ balances(where: { amount_gt: "0" }) { items { account amount } } supplys { items { issued redeemed } } }',
    );
    expect(await answer.json()).toEqual({
      data: {
        balances: { items: [{ account: holder.toLowerCase(), amount: '25000000000000000000' }] },
        supplys: { items: [{ issued: '25000000000000000000', redeemed: '0' }] },
      },
    });
    expect((await fetch(`${origin}/graphql`)).status).toBe(405);
  });

  it('have the columns that docs/indexed-data.md promises, in its order', async () => {
    const { rows } = await queryDatabase(
      `select table_name || '.' || column_name || ' ' || case when data_type = 'numeric' then format('numeric(%s,%s)', numeric_precision, numeric_scale) else data_type end as column
       from information_schema.columns where table_schema = 'idx_chiado' and left(table_name, 1) <> '_' order by table_name, ordinal_position`,
    );
    const sections = readFileSync('docs/indexed-data.md', 'utf8').split('\n### ').slice(1);
    const documented = sections.flatMap((section) =>
      [...section.matchAll(/^\| `(\w+)` \| ([\w(),]+) \|/gm)].map(([, name, type]) => `${/^\w+/.exec(section)?.[0]}.${name} ${type}`),
    );
    expect(rows.map(({ column }) => column as string)).toEqual(documented.toSorted((a, b) => tableOf(a).localeCompare(tableOf(b))));
  });

  it.each([
    'delete from balance',
    'with gone as (delete from balance returning *) select * from gone',
    'select * from users',
    'select * from public.users',
    'select * from pg_authid',
    'select pg_sleep(1)',
    'select 1) as a; drop table balance; select * from (select 1',
    "select lo_import('/etc/passwd')",
    "select x || x from (select 'x' as x) t",
    "select replace('xx', 'x', 'yy')",
    "select set_config('statement_timeout', '0', false)",
    'select json_agg(t) from supply t',
    'select 1; select 2',
    'nonsense',
  ])('cannot ask %s', async (statement) => {
    for (const path of ['db', 'live', 'db']) {
      const answer = await sql(statement, path);
      expect([answer.status, await answer.text()], path).toEqual([400, expect.stringMatching(/^A query (is one "select"|may not)/)]);
    }
  });

  it.each<[statement: string, ...params: unknown[]]>([
    ['select 1/0'],
    ['select 1/(amount - amount) from balance'],
    ['select account, sum(amount) from balance'],
    ['select b.amount from balance'],
    ['select amount from balance limit -1'],
    ['select account from balance order by 5'],
    ['select amount from balance where account = 1'],
    ["select 'a'::int"],
    ['select (select d from (values (1), (2)) v (d))'],
    ['select $1'],
    ['select amount from balance where amount = $1', 'x'],
    ['select amount from balance where amount = $1', { a: [1] }],
    ['select amount from balance where account = $1', '\0'],
    ['select 1', 'one parameter too many'],
  ])('are told at once what is wrong with %s, %j', async (statement, ...params) => {
    const answer = await sql(statement, 'db', params);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringMatching(/^A query is one "select" .+: .+/)]);
  });

  it('get a 503, which no other statement mends, when a query takes too long', async () => {
    const answer = await locked(() => sql(heavyStatement('rows')));
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('longer than five seconds')]);
  });

  it('cannot ask what Ponder takes for a statement that it has allowed', async () => {
    // With the limit around them, the SHA-256 of both begin with the same 40 bits.
    expect((await sql('select 2280810 as number')).ok).toBe(true);
    const answer = await sql('select email, 437093 as number from ledger.users');
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('Schema name not supported')]);
  });

  it.each([
    '',
    'select 1',
    '{}',
    '{"json":{"sql":1}}',
    '{"json":{"sql":"select 1"}}',
    '{"json":{"sql":"select 1","params":["x"]},"meta":{"values":{"params.0":["Nope"]}}}',
    JSON.stringify({ json: { sql: `select '${'x'.repeat(5_000)}'` } }),
  ])('get an error for a malformed query: %.20s', async (text) => {
    const answer = await fetch(`${origin}/sql/db?${queryOf(text)}`);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('"sql" must be JSON')]);
  });

  it('get an error instead of a part of the rows', async () => {
    const digits = '(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))';
    const rows = `select a.d from ${digits} a (d), ${digits} b, ${digits} c, ${digits} e`;
    expect(((await (await sql(rows)).json()) as { rows: unknown[] }).rows).toHaveLength(maxReaderRows);
    const more = await sql(`${rows} union all select 1 -- one more`);
    expect([more.status, (await more.text()).slice(0, 100)]).toEqual([400, expect.stringContaining('more than 10000 rows')]);
  });

  it('do not use up the places of live queries by failing', async () => {
    for (let first = 0; first < 1_100; first += 100)
      await Promise.all(Array.from({ length: 100 }, async () => (await sql('nonsense', 'live')).text()));
    const abort = new AbortController();
    const live = await fetch(`${origin}/sql/live?${sqlOf('select * from supply')}`, { signal: abort.signal });
    expect(live.status).toBe(200);
    abort.abort();
  });

  it('follow a balance as the example does', async () => {
    const example = spawn(process.execPath, ['examples/follow-balance.mjs', origin, token(), holder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    createInterface({ input: example.stdout }).on('line', (line) => lines.push(line));
    await until('the balance is printed', async () => lines.includes('25.00') || undefined);
    // The stream may begin after the next change, which only a later one shows.
    let total = 25n;
    await until('a change is printed', async () => {
      if (lines.length > 1) return true;
      total += 1n;
      await issue(1n);
      await delay(300);
      return undefined;
    });
    example.kill();
    expect(lines.slice(1).every((line) => /^\d+\.00$/.test(line))).toBe(true);
    expect(BigInt(lines.at(-1)?.slice(0, -3) ?? 0)).toBeLessThanOrEqual(total);
  });

  it.each(['origin: https://evil.example', 'sec-fetch-site: cross-site', 'sec-fetch-site: same-origin', 'host: evil.example:42069'])(
    'are no pages in browsers: %s',
    async (header) => {
      // `fetch` sends a `Host` of its own.
      const [name = '', value = ''] = header.split(': ');
      const status = await new Promise((resolve) =>
        get(`${origin}/sql/db?${sqlOf('select 1')}`, { headers: { [name]: value } }, (answer) => resolve(answer.resume().statusCode)),
      );
      expect(status).toBe(403);
    },
  );

  it('have one of the two connections for each network address, however much they ask for', async () => {
    const samples = await locked(async () => {
      const heavy = ['heavy1', 'heavy2', 'heavy3'].map((name) => askAsStranger(`/sql/db?${sqlOf(heavyStatement(name))}`).status);
      const sampled = await sampleRunning('as heavy', Promise.all(heavy));
      expect(await Promise.all(heavy)).toEqual([503, 503, 503]);
      return sampled;
    });
    expect(Math.max(...samples.map(({ length }) => length))).toBe(1);
  });

  it('have one of the two connections for all that a query in GraphQL asks for', async () => {
    await locked(async () => {
      const fields = Array.from({ length: 6 }, (_, i) => `b${i}: balances(limit: ${i + 1}) { totalCount items { amount } }`);
      const { status } = askAsStranger('/graphql', JSON.stringify({ query: `{ ${fields.join(' ')} }` }));
      const samples = await sampleRunning('"balance"', status);
      expect(await status).toBe(200);
      expect(Math.max(...samples.map(({ length }) => length))).toBe(1);
    });
  });

  it('run nothing for whoever has hung up', async () => {
    await locked(async () => {
      const ask = (name: string) => askAsStranger(`/sql/db?${sqlOf(heavyStatement(name))}`).request;
      const first = ask('gone1');
      await until('the first runs', async () => (await running('as gone1')).length > 0 || undefined);
      // Whichever came first would run first, and the others might be refused in their turn.
      const others = ['gone2', 'gone3'].map(ask);
      await Promise.all(others.map(async (request) => request.writableFinished || once(request, 'finish')));
      for (const request of [first, ...others]) request.destroy();
      // Its turn comes after theirs.
      const { status } = askAsStranger(`/sql/db?${sqlOf('select 1 as light')}`);
      const samples = await sampleRunning('as gone', status);
      expect(await status).toBe(200);
      expect(samples.flat().filter((text) => !text.includes('gone1'))).toEqual([]);
    });
  });

  it('have no second connection where they hang up and ask again', async () => {
    await locked(async () => {
      const first = askAsStranger(`/sql/db?${sqlOf(heavyStatement('again1'))}`);
      await until('the first runs', async () => (await running('as again1')).length > 0 || undefined);
      first.request.destroy();
      await first.status;
      const { status } = askAsStranger(`/sql/db?${sqlOf(heavyStatement('again2'))}`);
      const samples = await sampleRunning('as again', status);
      expect(await status).toBe(503);
      expect(Math.max(...samples.map(({ length }) => length))).toBe(1);
    });
  });

  it('have so many requests open for each network address, live queries among them', async () => {
    const live = Array.from({ length: maxOpenRequests }, (_, i) => askAsStranger(`/sql/live?${sqlOf(`select issued + ${i} from supply`)}`));
    expect(await Promise.all(live.map(({ status }) => status))).toEqual(live.map(() => 200));
    expect(await askAsStranger(light).status).toBe(429);
    expect((await sql('select 1')).status).toBe(200);
    for (const { request } of live) request.destroy();
    await until('the stranger is served again', async () => (await askAsStranger(light).status) === 200 || undefined);
  });

  it.each(['/metrics', '/%6Detrics', '/metrics?', '//metrics', 'http://127.0.0.1/metrics', '/sql/../metrics', '/health'])(
    'are not offered %s',
    async (path) => {
      expect(await askAsStranger(path).status).toBe(404);
    },
  );

  it('connect with a role that sees nothing else', async () => {
    const { rows } = await queryDatabase(
      "select has_schema_privilege('indexed_reader', 'ledger', 'usage') as ledger, has_table_privilege('indexed_reader', 'idx_chiado.balance', 'select') as balances",
    );
    expect(rows).toEqual([{ ledger: false, balances: false }]);
    const ledger = createDatabase<Record<string, never>>(createPool({ connectionString: database.url, max: 1 }));
    await expect(grantReading(ledger, database.url, 'public')).rejects.toMatchObject({
      code: 'invalid_settings',
      message: expect.stringContaining('of INDEXER_READER_URL') as string,
    });
    await ledger.destroy();
  });

  it('are refused without a role of their own, and by a port that is in use', async () => {
    await expect(runIndexer({ ...network.settings, indexerReaderUrl: undefined }, 'chiado')).rejects.toMatchObject({
      code: 'invalid_settings',
    });
    await expect(runIndexer(network.settings, 'chiado')).rejects.toMatchObject({ code: 'port_in_use' });
  });
});
