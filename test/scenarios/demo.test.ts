import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { freePort } from '../../src/platform/process/free-port.ts';
import { removePostgresHome } from '../../src/platform/process/postgres-home.ts';
import { processesWith } from '../support/processes/npm-start.ts';
import { until } from '../support/until.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-demo-'));
// Root's database runs as another user, who must be able to enter.
chmodSync(dataDir, 0o711);

afterAll(() => {
  removePostgresHome(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
});

it('npm run demo starts a sandbox, tells every story to its end, and leaves no process', async () => {
  const port = String(await freePort());
  const { BASE_URL: _, NODE_ENV: __, ...shell } = process.env;
  const child = spawn('npm', ['run', 'demo'], {
    cwd: project,
    env: { ...shell, MINTRAIL_DATA_DIR: dataDir, PORT: port },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let told = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (told += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(told).toContain('The demo is complete.');
  expect(code).toBe(0);
  expect(told.match(/^ {3}order .* is processed after/gm)).toHaveLength(9);
  expect(told.match(/^ {3}order .* is rejected after/gm)).toHaveLength(1);
  expect(told).toMatch(/answer {10}202/);
  expect(told).toMatch(/review {10}Anna Karlsson is approved/);
  expect(told).toMatch(/committed {7}\S+ with nonce 1, valid until/);
  expect(told).toMatch(/balance {9}57\.\d+ usd by the API, 57\d+ token units by the chain/);
  expect(told).toMatch(
    /^ {3}event {11}order\.created +\S+ {2}\S+ {2}placed {2}12\.00 eur\n {3}event {11}order\.updated +\S+ {2}\S+ {2}processed {2}12\.00 eur$/m,
  );
  await until('nothing of it is left', async () => (processesWith(dataDir).length === 0 ? true : undefined), 30);
});
