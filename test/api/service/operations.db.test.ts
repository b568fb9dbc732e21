import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAddress } from 'viem';
import type { HealthCheck } from '../../../src/api/api.ts';
import { createApp } from '../../../src/api/app.ts';
import { createNetworkCheck } from '../../../src/api/service/network-checks.ts';
import { recordHeartbeat } from '../../../src/ledger/lanes/heartbeats.ts';
import { type TestApi, createTestApi, eurToken } from '../support/test-api.ts';

let api: TestApi;
beforeAll(async () => void (api = await createTestApi()));
afterAll(() => api.close());

async function ready(checks: HealthCheck[]) {
  const answer = await createApp({ ...api.deps, checks }).request('/health/ready');
  return { status: answer.status, json: await answer.json() };
}

describe('GET /', () => {
  it('welcomes without a token', async () => {
    const { status, json } = await api.send('GET', '/');
    expect(status).toBe(200);
    expect(json).toEqual({ hello: 'Welcome to Mintrail', docs: 'http://localhost:3000/docs', twitter: 'http://localhost:3000' });
    const app = createApp({ ...api.deps, settings: { ...api.deps.settings, socialUrl: 'https://social.example/@mint' } });
    expect(await (await app.request('/')).json()).toMatchObject({ twitter: 'https://social.example/@mint' });
  });
});

describe('GET /tokens', () => {
  it('lists one token per currency and chain, without a bearer token too', async () => {
    const { status, json } = await api.send('GET', '/tokens');
    expect(status).toBe(200);
    expect(json).toHaveLength(3);
    expect(json[0]).toEqual({
      currency: 'eur',
      ticker: 'EUR',
      symbol: 'EURe',
      chain: 'chiado',
      address: getAddress(eurToken),
      decimals: 18,
    });
  });
});

describe('GET /health', () => {
  it('lives', async () => {
    expect((await api.send('GET', '/health/live')).json).toEqual({ status: 'ok', checks: [] });
  });

  it('is ready when the database answers and every check passes', async () => {
    const queue = { names: ['queue'], check: async () => [{ name: 'queue', ok: true }] };
    expect(await ready([queue])).toMatchObject({
      status: 200,
      json: {
        status: 'ok',
        checks: [
          { name: 'database', ok: true },
          { name: 'queue', ok: true },
        ],
      },
    });
  });

  it('is not ready when a check fails, throws or hangs, and names it', async () => {
    const { status, json } = await ready([
      { names: ['indexer'], check: async () => [{ name: 'indexer', ok: false, detail: '12 blocks behind' }] },
      { names: ['queue'], check: () => Promise.reject(new Error('10.0.0.7 refused')) },
      { names: ['worker', 'common'], check: () => new Promise(() => {}) },
    ]);
    expect(status).toBe(503);
    expect(json).toEqual({
      status: 'unavailable',
      checks: [
        { name: 'database', ok: true },
        { name: 'indexer', ok: false, detail: '12 blocks behind' },
        { name: 'queue', ok: false, detail: 'unreachable' },
        { name: 'worker', ok: false, detail: 'no answer within 2 s' },
        { name: 'common', ok: false, detail: 'no answer within 2 s' },
      ],
    });
  });

  it('says of a worker with a parked lane that something is to be looked at, and is ready', async () => {
    const alarms = [{ kind: 'lane_parked', subject: '0x1 issue eur', text: '', since: '2026-05-06T02:00:00.000Z' }];
    await recordHeartbeat(api.ledger, { component: 'common', chain: '', instance: 'parked', facts: { ok: true, alarms } });
    const [common] = await createNetworkCheck(api.ledger, { ...api.deps.settings, networks: {} }).check();
    expect(common).toEqual({ name: 'common', ok: true, detail: 'a lane is parked: see `mintrail status`' });
    await api.ledger.deleteFrom('heartbeats').where('instance', '=', 'parked').execute();
  });

  it('checks once a second, however many ask', async () => {
    let runs = 0;
    const check: HealthCheck = { names: ['queue'], check: async () => [{ name: 'queue', ok: (runs += 1) > 0 }] };
    const app = createApp({ ...api.deps, checks: [check] });
    const ask = async () => (await app.request('/health/ready')).status;
    expect(await Promise.all(Array.from({ length: 100 }, ask))).toEqual(Array.from({ length: 100 }, () => 200));
    expect(runs).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    await ask();
    expect(runs).toBe(2);
  });
});

describe('the metrics', () => {
  it('count requests by their route, not by their path', async () => {
    await api.send('GET', '/orders/abc');
    expect(await api.deps.metrics.registry.metrics()).toMatch(
      /mintrail_http_request_duration_seconds_count\{method="GET",route="\/orders\/:orderId",status="401"\} \d/,
    );
  });

  it('are not on the port of the API', async () => {
    expect((await api.send('GET', '/metrics')).status).toBe(404);
  });
});

describe('the documentation', () => {
  it('is OpenAPI 3.1 and describes every part', async () => {
    const { json } = await api.send('GET', '/openapi.json');
    expect(json.openapi).toBe('3.1.0');
    expect(Object.keys(json.paths)).toEqual(
      expect.arrayContaining([
        '/',
        '/auth/token',
        '/auth/context',
        '/addresses',
        '/addresses/{address}',
        '/balances/{chain}/{address}',
        '/ibans',
        '/ibans/{iban}',
        '/orders',
        '/orders/{orderId}',
        '/tokens',
        '/sandbox/credits',
      ]),
    );
    expect(json.paths['/addresses'].post.requestBody.required).toBe(true);
    expect(json.paths['/addresses'].post.security).toEqual([{ bearer: [] }]);
    expect(json.components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' });
    expect(json.servers).toMatchObject([{ url: 'http://localhost:3000' }]);
  });

  it('comes from this host alone', async () => {
    const { text, headers } = await api.send('GET', '/docs');
    expect(headers.get('Content-Security-Policy')).toContain("script-src 'self';");
    expect(headers.get('Content-Security-Policy')).not.toMatch(/https?:|unsafe-eval/);
    const linked = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => new URL(path ?? '', 'http://localhost/docs').pathname);
    expect(linked.length).toBeGreaterThan(4);
    for (const path of linked) expect([path, (await api.send('GET', path)).status]).toEqual([path, 200]);
    expect(text).not.toMatch(/<script>|style=|onload=/);
  });
});
