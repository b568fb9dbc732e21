import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { connect } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runApi } from '../../src/api/run-api.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { testSecretsKey } from '../support/test-sealer.ts';
import { until } from '../support/until.ts';
import { testLedger } from '../support/test-ledger.ts';
import { testFolder } from '../support/test-folder.ts';

/** Debian packages; this one is kept where ordinary users have no PATH. */
const haproxyProgram = ['haproxy', '/usr/sbin/haproxy'].find((name) => spawnSync(name, ['-v']).error === undefined);
const hasCaddy = spawnSync('caddy', ['version']).error === undefined;

/** The health checks of people's configurations: `httpchk` alone asks for `OPTIONS /` by HTTP/1.0, and so without a host. */
const checks = {
  bare: 'option httpchk',
  live: 'option httpchk GET /health/live',
  named: 'option httpchk GET /health/live HTTP/1.1\\r\\nHost:\\ money.example',
};

/** In a minute from one address. */
const anonymousRequests = 20;

const folder = testFolder();
const database = testLedger();
let api: Awaited<ReturnType<typeof runApi>>;
let proxy: ChildProcess | undefined;
let port: number;
const stopWithTests = (): void => void proxy?.kill('SIGKILL');

beforeAll(async () => {
  const env = {
    DATABASE_URL: database.url,
    PORT: '0',
    TRUST_PROXY: '1',
    LOG_LEVEL: 'silent',
    SECRETS_KEY: testSecretsKey,
    RATE_LIMITS: `address:${anonymousRequests}`,
  };
  api = await runApi(loadSettings(env));
  process.once('exit', stopWithTests);
});
afterAll(async () => {
  process.off('exit', stopWithTests);
  await api.close();
});

const startProxy = (program: string, args: string[], env: Record<string, string> = {}): void => {
  proxy = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...env } });
};
const stopProxy = async (): Promise<void> => {
  stopWithTests();
  if (proxy?.exitCode === null && proxy.signalCode === null) await once(proxy, 'exit');
};

describe.skipIf(haproxyProgram === undefined)('HAProxy in front of the API', () => {
  const socket = path.join(folder, 'admin.sock');

  beforeAll(async () => {
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
    startProxy(haproxyProgram ?? 'haproxy', ['-f', file, '-db']);
  });
  afterAll(stopProxy);
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

/** Trusts any certificate: that of this machine is of an authority which Caddy has just made. */
const statusOf = async (target: string, claimed = '192.0.2.7'): Promise<number | undefined> => {
  const asked = get(`https://localhost:${port}${target}`, { rejectUnauthorized: false, headers: { 'X-Forwarded-For': claimed } });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
};

describe.skipIf(!hasCaddy)('Caddy with the file of docker-compose.yml', () => {
  beforeAll(async () => {
    port = await freePort();
    const loopback = `admin off\n\tdefault_bind 127.0.0.1\n\thttp_port ${await freePort()}`;
    const file = path.join(folder, 'Caddyfile');
    writeFileSync(file, readFileSync('deploy/caddy/Caddyfile', 'utf8').replace('admin off', loopback));
    const address = new URL(api.url).host;
    const env = { BASE_URL: `https://localhost:${port}`, API_ADDRESS: address, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    startProxy('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], env);
  });
  afterAll(stopProxy);

  it('serves the API by TLS, and an address that a client claims gives it no limits of its own', async () => {
    expect(await until('Caddy answers', () => statusOf('/health/live').catch(() => undefined))).toBe(200);
    const statuses: (number | undefined)[] = [];
    for (let index = 0; index <= anonymousRequests; index += 1) statuses.push(await statusOf('/orders', `192.0.2.${index}`));
    expect(statuses.at(-1)).toBe(429);
    expect(statuses).toContain(401);
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
