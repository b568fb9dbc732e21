import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { connectionName, disownIndex, ownerQuery, ownIndex } from '../../../src/ledger/lanes/index-owners.ts';
import { loadNetwork } from '../../../src/platform/settings.ts';
import { startPonder } from '../../../src/workers/indexer/ponder-process.ts';
import { testLedger } from '../../support/test-ledger.ts';

const preloaded = new URL('../../../src/workers/indexer/owned-connections.ts', import.meta.url).href;
const script = `
  import pg from 'pg';
  // As Ponder makes it.
  class Client extends pg.Client {
    connect(callback) {
      if (callback) super.connect(() => this.query('set synchronous_commit = off', callback));
      else return super.connect();
    }
  }
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, Client });
  pool.on('error', () => {});
  const { rows } = await pool.query('show application_name');
  console.log(rows[0].application_name);
  await pool.end();`;

const world = testLedger();

/** What a process prints that connects as a run of this index, and its exit code. */
async function connectAs(index: { schema: string; run: string }, url = world.url) {
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: url,
    OWNED_INDEX: JSON.stringify({ connectionName: connectionName(index.run), query: ownerQuery(index) }),
  };
  const child = spawn(process.execPath, ['--import', preloaded, '--input-type=module', '--eval', script], { env });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { output: output.trim(), code };
}

it('only the run that owns an index connects, by a name of its own', async () => {
  const first = { schema: 'idx_chiado_1', run: randomUUID() };
  const second = { ...first, run: randomUUID() };
  const { ledger } = world;
  expect(await ownIndex(ledger, first)).toBe(true);
  expect(await ownIndex(ledger, second)).toBe(false);
  expect(await connectAs(first)).toEqual({ output: connectionName(first.run), code: 0 });
  expect(await connectAs(second)).toEqual({ output: '', code: 75 });
  await disownIndex(ledger, first);
  expect(await ownIndex(ledger, second)).toBe(true);
  expect(await ownIndex(ledger, first)).toBe(false);
  expect(await connectAs(first)).toMatchObject({ code: 75 });
});

it('Ponder itself connects so', async () => {
  const index = { schema: 'idx_chiado_2', run: randomUUID() };
  const network = loadNetwork('chiado', { CHIADO_RPC_URLS: 'http://127.0.0.1:1' });
  const folder = mkdtempSync(path.join(tmpdir(), 'ponder-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const logFile = path.join(folder, 'ponder.log');
  const ponder = startPonder({
    network,
    endpointsUrl: 'http://127.0.0.1:1',
    command: ['start', '--schema', index.schema, '--port', '0', '--hostname', '127.0.0.1'],
    databaseUrl: world.url,
    env: { OWNED_INDEX: JSON.stringify({ connectionName: connectionName(index.run), query: ownerQuery(index) }) },
    nodeOptions: [],
    logFile,
  });
  expect(await ponder.exited).toEqual({ code: 75, signal: null });
  // It ends with the same code where no endpoint answers, but says before that it has connected.
  expect(readFileSync(logFile, 'utf8')).toBe('');
  // Without the bundle too, both use one library.
  const [ours, its] = [import.meta.url, import.meta.resolve('ponder')].map((file) => createRequire(file).resolve('pg'));
  expect(ours).toBe(its);
});

it('a database that is away is an error, as without an owner', async () => {
  const { code } = await connectAs({ schema: 'idx_chiado_1', run: randomUUID() }, 'postgresql://nobody@127.0.0.1:1/none');
  expect(code).toBe(1);
});
