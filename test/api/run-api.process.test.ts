import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runApi } from '../../src/api/run-api.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { until } from '../support/until.ts';
import { sendBytes } from '../fuzz/send-bytes.ts';
import { testSecretsKey } from '../support/test-sealer.ts';
import { testLedger } from '../support/test-ledger.ts';

const database = testLedger();
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
  metricsPort = await freePort();
  api = await runApi(settings(0));
});
afterAll(async () => {
  await api.close();
});

describe('the API process', () => {
  it('answers over HTTP and links to itself', async () => {
    const welcome = (await (await fetch(api.url)).json()) as { docs: string };
    expect(welcome.docs).toBe(`http://localhost:${new URL(api.url).port}/docs`);
  });

  it('is ready without a worker, an indexer and the queue, because it answers and accepts orders without them', async () => {
    const alone = await runApi({ ...settings(0), metricsPort: undefined, redisUrl: `redis://127.0.0.1:${await freePort()}` });
    const response = await fetch(`${alone.url}/health/ready`);
    expect(await response.json()).toEqual({ status: 'ok', checks: [{ name: 'database', ok: true }] });
    expect(response.status).toBe(200);
    await alone.close();
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

  it('answers a malformed request without falling over', async () => {
    const answer = await send('GET /%zz HTTP/1.1\r\nHost: [bad\r\nConnection: close\r\n\r\n');
    expect(answer).toMatchObject({ status: 400, json: { reason: 'invalid_request', errors: { Host: expect.any(String) } } });
    expect((await fetch(api.url)).status).toBe(200);
  });

  it.each([
    ['two hosts', 'Host: a.example\r\nhost: b.example\r\n', 'must not be repeated'],
    ['no host', '', 'is required'],
  ])('refuses a request of HTTP/1.1 with %s', async (_, hosts, problem) => {
    const answer = await send(`GET / HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
    expect(answer).toMatchObject({ status: 400, json: { errors: { Host: problem } } });
  });

  it('answers the health check of a balancer, which is of HTTP/1.0 and names no host', async () => {
    expect(await send('OPTIONS /health/live HTTP/1.0\r\n\r\n')).toMatchObject({ status: 204 });
    expect(await send('GET /health/live HTTP/1.0\r\n\r\n')).toMatchObject({ status: 200, json: { status: 'ok' } });
  });

  it.each([
    ['a gzip body', 'POST /orders', 'Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx', 415, /^Accept-Encoding: identity$/im],
    ['a transfer coding', 'POST /orders', 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n', 501, /^Connection: close$/im],
    ['another method', 'PUT /orders', 'Content-Length: 0\r\n\r\n', 405, /^Allow: GET, HEAD, POST$/im],
  ])('answers %s as RFC 9110 says', async (_, target, rest, status, head) => {
    const answer = await send(`${target} HTTP/1.1\r\nHost: x\r\nX-Correlation-Id: mine\r\nConnection: close\r\n${rest}`);
    expect(answer).toMatchObject({ status, json: { code: status }, head: expect.stringMatching(head) });
    expect(answer.head).toMatch(/^X-Correlation-Id: mine$/im);
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

/** Sends bytes on a connection of their own. */
async function send(bytes: string) {
  const { head, status, body } = await sendBytes(Number(new URL(api.url).port), Buffer.from(bytes), { cutOff: false });
  return { head, status, json: body === '' ? undefined : (JSON.parse(body) as object) };
}
