import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runApi } from '../../src/api/run-api.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { type TestDatabase, createTestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { testSecretsKey } from '../support/test-sealer.ts';

let database: TestDatabase;
let api: Awaited<ReturnType<typeof runApi>>;
let metricsPort: number;
const settings = (port: number) =>
  loadSettings({
    DATABASE_URL: database.url,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    LOG_LEVEL: 'silent',
    SECRETS_KEY: testSecretsKey,
    CHIADO_TOKENS: `eur:0x${'1'.repeat(40)}`,
  });

beforeAll(async () => {
  database = await createTestDatabase();
  metricsPort = await freePort();
  api = await runApi(settings(0));
});
afterAll(async () => {
  await api.close();
  await database.drop();
});

describe('the API process', () => {
  it('answers over HTTP and links to itself', async () => {
    const welcome = (await (await fetch(api.url)).json()) as { docs: string };
    expect(welcome.docs).toBe(`http://localhost:${new URL(api.url).port}/docs`);
  });

  it('checks the database, the queue, and every worker and indexer it depends on', async () => {
    const response = await fetch(`${api.url}/health/ready`);
    const { checks } = (await response.json()) as { checks: { name: string; ok: boolean }[] };
    expect(response.status).toBe(503);
    expect(checks.filter(({ ok }) => ok).map(({ name }) => name)).toEqual(['database', 'queue']);
    expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(['worker chiado', 'indexer chiado']));
  });

  it('serves its metrics on a port of their own', async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(metrics).toContain('mintrail_http_request_duration_seconds_count');
    expect(metrics).toContain('process_cpu_seconds_total');
    expect((await fetch(`${api.url}/metrics`)).status).toBe(404);
  });

  it('says which setting to change when its port is taken', async () => {
    await expect(runApi(settings(Number(new URL(api.url).port)))).rejects.toMatchObject({ code: 'port_in_use', message: /set PORT/ });
  });

  it('refuses a chunked body above the limit', async () => {
    const chunk = new TextEncoder().encode('x'.repeat(64 * 1024));
    const body = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent < 5; sent += 1) controller.enqueue(chunk);
        controller.close();
      },
    });
    const response = await fetch(`${api.url}/ibans`, { method: 'POST', body, duplex: 'half' });
    expect(response.status).toBe(413);
  });

  it('answers a malformed request without falling over', async () => {
    expect(await sendRaw('GET /%zz HTTP/1.1\r\nHost: [bad\r\n\r\nnonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400/);
    expect((await fetch(api.url)).status).toBe(200);
  });

  it('refuses a request with two hosts', async () => {
    const answer = await sendRaw('GET / HTTP/1.1\r\nHost: a.example\r\nhost: b.example\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 400/);
    expect(answer).toContain('{"Host":"must not be repeated"}');
  });

  it('does not count a body that its sender broke off as an outage', async () => {
    const { hostname, port } = new URL(api.url);
    const head =
      'POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ngrant';
    const socket = connect(Number(port), hostname, () => socket.write(head, () => setTimeout(() => socket.destroy(), 50)));
    const counts = await until('it is counted', async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      const lines = metrics.split('\n').filter((line) => line.includes('_count{') && line.includes('method="POST",route="/auth/token"'));
      return lines.some((line) => /status="(400|5\d\d)"/.test(line)) ? lines : undefined;
    });
    expect(counts.join()).not.toMatch(/status="5/);
  });
});

/** Sends bytes, and returns what comes until the connection is closed. */
function sendRaw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(api.url);
  return new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let received = '';
    socket.on('data', (data) => (received += data.toString()));
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}
