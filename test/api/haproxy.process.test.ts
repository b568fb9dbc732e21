import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runApi } from '../../src/api/run-api.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { testSecretsKey } from '../support/test-sealer.ts';
import { until } from '../support/until.ts';

/** A Debian package. It is kept where ordinary users have no PATH. */
const program = ['haproxy', '/usr/sbin/haproxy'].find((name) => spawnSync(name, ['-v']).error === undefined);

/** The health checks of people's configurations: `httpchk` alone asks for `OPTIONS /` by HTTP/1.0, and so without a host. */
const checks = {
  bare: 'option httpchk',
  live: 'option httpchk GET /health/live',
  named: 'option httpchk GET /health/live HTTP/1.1\\r\\nHost:\\ money.example',
};

describe.skipIf(program === undefined)('HAProxy in front of the API', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-haproxy-'));
  const socket = path.join(folder, 'admin.sock');
  let database: TestDatabase;
  let api: Awaited<ReturnType<typeof runApi>>;
  let haproxy: ChildProcess;
  let port: number;
  const stopWithTests = (): void => void haproxy.kill('SIGKILL');

  beforeAll(async () => {
    database = await createTestDatabase();
    const env = { DATABASE_URL: database.url, PORT: '0', TRUST_PROXY: '1', LOG_LEVEL: 'silent', SECRETS_KEY: testSecretsKey };
    api = await runApi(loadSettings(env));
    port = await freePort();
    const server = `server api 127.0.0.1:${new URL(api.url).port} check inter 200ms fastinter 200ms fall 1 rise 1`;
    const file = path.join(folder, 'haproxy.cfg');
    const backends = Object.entries(checks).map(([name, check]) => `backend ${name}\n  ${check}\n  ${server}`);
    writeFileSync(
      file,
      `global
  stats socket ${socket} level admin
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout check 60s
  option forwardfor
frontend api
  bind 127.0.0.1:${port}
  default_backend bare
${backends.join('\n')}
`,
    );
    haproxy = spawn(program ?? 'haproxy', ['-f', file, '-db'], { stdio: 'ignore' });
    process.once('exit', stopWithTests);
  });
  afterAll(async () => {
    process.off('exit', stopWithTests);
    stopWithTests();
    if (haproxy.exitCode === null && haproxy.signalCode === null) await once(haproxy, 'exit');
    await api.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  it.each(Object.keys(checks))('passes its health check: %s', async (name) => {
    const [row] = await until('it is checked', async () => {
      const rows = (await statistics(socket)).filter(({ pxname, svname }) => pxname === name && svname === 'api');
      return rows.some(({ check_status: status = '' }) => status !== '' && !/INI|\*/.test(status)) ? rows : undefined;
    });
    expect(row).toMatchObject({ status: 'UP', check_status: 'L7OK' });
  });

  it('passes requests and their answers through', async () => {
    expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
    const refused = await fetch(`http://127.0.0.1:${port}/orders`, { method: 'PUT', headers: { 'X-Correlation-Id': 'mine' } });
    expect([refused.status, refused.headers.get('Allow'), refused.headers.get('X-Correlation-Id')]).toEqual([
      405,
      'GET, HEAD, POST',
      'mine',
    ]);
    const grant = await fetch(`http://127.0.0.1:${port}/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    expect(await grant.json()).toMatchObject({ code: 400, error: 'invalid_request' });
  });
});

/** The rows of `show stat`, by their columns. Empty while HAProxy does not answer. */
async function statistics(socketPath: string): Promise<Record<string, string>[]> {
  const socket = connect(socketPath);
  let text = '';
  socket.on('data', (data: Buffer) => (text += data.toString()));
  socket.on('error', () => {});
  socket.end('show stat\n');
  await new Promise((resolve) => socket.once('close', resolve));
  const [head = '', ...lines] = text.trim().split('\n');
  const columns = head.replace(/^# /, '').split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, index) => [columns[index] ?? '', cell])));
}
