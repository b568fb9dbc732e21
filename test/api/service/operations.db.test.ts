import { describe, expect, it, vi } from 'vitest';
import { getAddress } from 'viem';
import { createApp } from '../../../src/api/app.ts';
import { createTestApi, eurToken } from '../support/test-api.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';
import { patience } from '../../support/patience.ts';

const api = forWholeFile(createTestApi);

/** What an API that has not been asked yet answers. */
async function ready() {
  const answer = await createApp(api.deps).request('/health/ready');
  return { status: answer.status, json: await answer.json() };
}

const notReady = (detail: string) => ({ status: 503, json: { status: 'unavailable', checks: [{ name: 'database', ok: false, detail }] } });

describe('GET /', () => {
  it('welcomes without a token', async () => {
    const { status, json } = await api.send('GET', '/');
    expect(status).toBe(200);
    expect(json).toEqual({ hello: 'Welcome to Mintrail', docs: 'http://localhost:3000/docs', twitter: 'http://localhost:3000' });
  });
});

describe('GET /tokens', () => {
  it('lists one token per currency and chain, without a bearer token too', async () => {
    const { status, json } = await api.send('GET', '/tokens');
    expect(status).toBe(200);
    const listed = json.map(({ currency, chain }: Record<string, string>) => `${currency} ${chain}`);
    expect(listed).toEqual(['eur chiado', 'gbp chiado', 'eur basesepolia']);
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

describe('GET /countries', () => {
  it('lists every entry of ISO 3166-1, and Kosovo, with both risks, without a bearer token', async () => {
    const { status, json } = await api.send('GET', '/countries');
    expect([status, json.total, json.countries.length]).toEqual([200, 250, 250]);
    const codes = json.countries.map(({ code }: { code: string }) => code);
    expect(codes).toEqual([...new Set<string>(codes)].toSorted());
    expect(json.countries).toContainEqual({ name: 'Iceland', code: 'IS', nationality: 'low', residency: 'low' });
    const risks = new Set(json.countries.flatMap(({ nationality, residency }: Record<string, string>) => [nationality, residency]));
    expect(risks).toEqual(new Set(['low', 'medium', 'high', 'restricted', 'prohibited']));
  });
});

describe('GET /health', () => {
  it('lives, and is ready when the database answers', async () => {
    expect((await api.send('GET', '/health/live')).json).toEqual({ status: 'ok', checks: [] });
    const expected = { status: 200, json: { status: 'ok', checks: [{ name: 'database', ok: true }] } };
    await vi.waitFor(async () => expect(await ready()).toEqual(expected), patience);
  });

  it('is not ready while the database does not answer', async () => {
    const session = await api.deps.pool.connect();
    await session.query('begin; lock table migrations');
    expect(await ready()).toEqual(notReady('no answer within 2 s'));
    await session.query('rollback');
    session.release();
  });

  it('is not ready before the tables are made', async () => {
    await api.deps.pool.query('alter table migrations rename to renamed');
    const expected = notReady('its tables are missing, or a pooler does not find them: run `mintrail migrate`');
    await vi.waitFor(async () => expect(await ready()).toEqual(expected), patience);
    await api.deps.pool.query('alter table renamed rename to migrations');
  });

  it('asks the database once a second, however many ask', async () => {
    const query = vi.spyOn(api.deps.pool, 'query');
    vi.useFakeTimers({ toFake: ['performance'] });
    const app = createApp(api.deps);
    const ask = async () => (await app.request('/health/ready')).text();
    const answers = await Promise.all(Array.from({ length: 100 }, ask));
    vi.advanceTimersByTime(999);
    expect(new Set([...answers, await ask()]).size).toBe(1);
    expect(query).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    await ask();
    expect(query).toHaveBeenCalledTimes(2);
    vi.useRealTimers();
    query.mockRestore();
  });
});

describe('the metrics', () => {
  it('count requests by their route, not by their path', async () => {
    await api.send('GET', '/orders/abc');
    expect(await api.deps.metrics.registry.metrics()).toMatch(
      /mintrail_http_request_duration_seconds_count\{method="GET",route="\/orders\/:orderId",status="401"\} \d/,
    );
  });
});

describe('the documentation', () => {
  it('is OpenAPI 3.1', async () => {
    const { json } = await api.send('GET', '/openapi.json');
    expect([json.openapi, json.info.version]).toEqual(['3.1.0', '2.0.0']);
    expect(json.paths['/addresses'].post.requestBody.required).toBe(true);
    expect(json.paths['/addresses'].post.security).toEqual([{ bearer: [] }]);
    expect(json.components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' });
    expect(json.servers).toMatchObject([{ url: 'http://localhost:3000' }]);
  });

  it('comes from this host alone', async () => {
    const { text, headers } = await api.send('GET', '/docs');
    const { status, headers: redirected } = await api.send('GET', '/docs/');
    expect([status, redirected.get('location')]).toEqual([308, '../docs']);
    const policy = headers.get('Content-Security-Policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toMatch(/https?:|unsafe/);
    const linked = new Set(
      [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => new URL(path ?? '', 'http://localhost/docs').pathname),
    );
    expect(linked.size).toBeGreaterThan(4);
    for (const path of linked) expect([path, (await api.send('GET', path)).status]).toEqual([path, 200]);
    expect(text).not.toMatch(/<script>|style=|onload=/);
  });

  it('sends no request from its page in production, and gives no credentials', async () => {
    const settings = { ...api.deps.settings, environment: 'production' as const };
    const production = createApp({ ...api.deps, settings });
    expect(await (await production.request('/docs')).text()).not.toContain('try-it');
    expect((await production.request('/docs/credentials')).status).toBe(404);
  });
});
