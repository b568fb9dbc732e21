import { createAdaptorServer } from '@hono/node-server';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApp } from '../../../src/api/app.ts';
import { networkOf } from '../../../src/platform/http/client-network.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';
import { basic } from '../oauth/client.ts';
import { createTestApi, type TestApi } from '../support/test-api.ts';

const shared = forWholeFile(createTestApi);
const opened: TestApi[] = [];
const open = async (env: Record<string, string>) => {
  const api = await createTestApi({ env, database: shared.database });
  opened.push(api);
  return api;
};
// A minute ends when the test says so, however long the requests take.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(async () => {
  vi.useRealTimers();
  for (const api of opened.splice(0)) await api.close();
  await shared.pool.query('delete from rate_limits');
});

const from = (api: TestApi, forwarded: string) => api.send('GET', '/tokens', { headers: { 'X-Forwarded-For': forwarded } });
const many = <T>(count: number, ask: () => Promise<T>) => Promise.all(Array.from({ length: count }, ask));
const count = (answers: { status: number }[], status: number) => answers.filter((answer) => answer.status === status).length;

describe('requests of an application', () => {
  it('beyond its limit are 429, with Retry-After, until the minute is over, while another application goes on', async () => {
    const api = await open({ RATE_LIMITS: 'application:20' });
    const [caller, other] = [await api.partner(), await api.partner()];
    const answers = await many(30, () => caller.get('/orders'));
    expect([count(answers, 200), count(answers, 429)]).toEqual([20, 10]);
    const { headers, json } = await caller.get('/orders');
    expect(json).toEqual({
      code: 429,
      status: 'Too Many Requests',
      message: expect.stringMatching(/^This application sends too many/),
      reason: 'rate_limited',
    });
    expect(headers.get('Retry-After')).toBe('60');
    expect((await other.get('/orders')).status).toBe(200);
    vi.setSystemTime(Date.now() + 59_000);
    expect((await caller.get('/orders')).status).toBe(429);
    vi.setSystemTime(Date.now() + 1_001);
    expect((await caller.get('/orders')).status).toBe(200);
  });

  it('are counted over all copies of the API: never more than the limit, whatever each of them takes', async () => {
    const api = await open({ RATE_LIMITS: 'application:40' });
    const caller = await api.partner();
    const copies = [createApp(api.deps), createApp(api.deps), createApp(api.deps)];
    const ask = () => Promise.all(copies.map(async (copy) => copy.request('/orders/none', { headers: caller.headers })));
    expect(count((await many(20, ask)).flat(), 403)).toBe(40);
  });

  it('are not limited in the sandbox, unless one asks for it', async () => {
    const api = await open({});
    const caller = await api.partner();
    expect(count(await many(20, () => caller.get('/orders')), 200)).toBe(20);
    expect((await api.pool.query('select 1 from rate_limits')).rowCount).toBe(0);
  });
});

describe('requests from an address', () => {
  it('without a token, or with a wrong one, are limited; those of an application are not', async () => {
    const api = await open({ RATE_LIMITS: 'address:10' });
    const caller = await api.partner();
    const headers = { Authorization: 'Bearer wrong' };
    expect(count(await many(4, () => api.send('GET', '/tokens')), 200)).toBe(4);
    for (let tries = 0; tries < 5; tries += 1) expect((await api.send('GET', '/orders', { headers })).status).toBe(401);
    expect((await api.send('GET', '/tokens')).status).toBe(429);
    expect((await api.send('GET', '/orders', { headers })).status).toBe(429);
    expect((await api.send('GET', '/nowhere')).status).toBe(429);
    for (let tries = 0; tries < 10; tries += 1) expect((await api.send('GET', '/health/live')).status).toBe(200);
    expect((await api.send('GET', '/health/live')).status).toBe(429);
    expect(caller.tokens.access_token).toBeDefined();
  });

  it('are no more than the limit, whatever they carry and however many come at once', async () => {
    const api = await open({ RATE_LIMITS: 'address:10', TRUST_PROXY: '1' });
    const caller = await api.partner();
    let turn = 0;
    for (const [index, text] of ['Bearer wrong', 'Bearer %d', 'x', 'Basic eDp4'].entries()) {
      const address = { 'X-Forwarded-For': `192.0.2.${index}` };
      const ask = (path: string) =>
        many(50, () => api.send('GET', path, { headers: { ...address, Authorization: text.replace('%d', String((turn += 1))) } }));
      const answers = (await Promise.all([ask('/'), ask('/orders')])).flat();
      expect([text, count(answers, 200) + count(answers, 401), count(answers, 429)]).toEqual([text, 10, 90]);
      expect((await api.send('GET', '/orders', { headers: { ...caller.headers, ...address } })).status).toBe(200);
    }
  });

  it('take no connection of the database from others by unknown tokens, however many come at once', async () => {
    const api = await open({ RATE_LIMITS: 'address:1000', TRUST_PROXY: '1' });
    const caller = await api.partner();
    const queries = vi.spyOn(api.pool, 'connect');
    let turn = 0;
    const ask = (address: string) => {
      const headers = { 'X-Forwarded-For': address, Authorization: `Bearer unknown-${(turn += 1)}` };
      return api.send('GET', '/orders', { headers });
    };
    const strangers = many(900, () => ask('192.0.2.7'));
    const neighbour = api.send('GET', '/orders', { headers: { ...caller.headers, 'X-Forwarded-For': '192.0.2.8' } });
    expect((await neighbour).status).toBe(200);
    const answers = await strangers;
    expect(count(answers, 401) + count(answers, 429)).toBe(900);
    expect(queries.mock.calls.length).toBeLessThan(100);
  });

  it('lock out no valid token and no right credentials of that address, at no endpoint', async () => {
    const api = await open({ RATE_LIMITS: 'address:10,failedLogins:3' });
    const [caller, later] = [await api.partner(), await api.partner()];
    await many(30, () => api.send('GET', '/tokens'));
    await many(30, () => api.send('GET', '/orders', { headers: { Authorization: 'Bearer wrong' } }));
    expect((await api.send('GET', '/tokens')).status).toBe(429);
    for (const path of ['/orders', '/tokens', '/countries', '/auth/context']) expect((await caller.get(path)).status).toBe(200);
    const grant = { grant_type: 'client_credentials', client_id: later.clientId, client_secret: later.secret };
    const { status, json } = await api.form(grant);
    expect(status).toBe(200);
    expect((await api.send('GET', '/orders', { headers: { Authorization: `Bearer ${json.access_token}` } })).status).toBe(200);
    expect((await api.form({ ...grant, client_secret: 'wrong' })).status).toBe(429);
  });

  it('are known by their connection, and hold no place from right credentials by bodies that they hold back', async () => {
    const api = await open({ RATE_LIMITS: 'address:1' });
    const { clientId, secret } = await api.partner();
    const server = createAdaptorServer({ fetch: api.app.fetch });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const form = 'Content-Type: application/x-www-form-urlencoded';
    const held: Socket[] = [];
    for (let count = 0; count < 3; count += 1) {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      held.push(socket);
      socket.write(`POST /auth/token HTTP/1.1\r\nHost: 127.0.0.1\r\n${form}\r\nContent-Length: 100\r\n\r\ng`);
      await once(server, 'request');
    }
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret });
    for (let time = 0; time < 2; time += 1)
      expect((await fetch(`http://127.0.0.1:${port}/auth/token`, { method: 'POST', body })).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/auth/token`)).status).toBe(429);
    const { rows } = await api.pool.query<{ key: string }>('select key from rate_limits');
    expect(rows).toContainEqual({ key: 'limit-address:127.0.0.1' });
    for (const socket of held) socket.destroy();
    server.close();
  });

  it('are told apart by X-Forwarded-For behind as many proxies as are trusted, and only there', async () => {
    const trusting = await open({ RATE_LIMITS: 'address:2', TRUST_PROXY: '1' });
    for (const forged of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) await from(trusting, `${forged}, 192.0.2.7`);
    expect((await from(trusting, '4.4.4.4, 192.0.2.7')).status).toBe(429);
    expect((await from(trusting, '192.0.2.7, 192.0.2.8')).status).toBe(200);
    const wary = await open({ RATE_LIMITS: 'address:2' });
    for (const forged of ['1.1.1.1', '2.2.2.2']) await from(wary, forged);
    expect((await from(wary, '3.3.3.3')).status).toBe(429);
  });

  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:4711', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['[2001:db8::1]:443', '2001:db8::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['', ''],
  ])('%s counts as %s', (address, counted) => {
    expect(networkOf(address)).toBe(counted);
  });
});

describe('wrong credentials', () => {
  it('are refused from an address after a few by every copy of the API, and right ones never are', async () => {
    const api = await open({ RATE_LIMITS: 'failedLogins:3' });
    const caller = await api.partner();
    const right = { grant_type: 'client_credentials', client_id: caller.clientId, client_secret: caller.secret };
    expect(count(await many(10, () => api.form(right)), 200)).toBe(10);
    for (let tries = 0; tries < 2; tries += 1) expect((await api.form({ ...right, client_secret: 'wrong' })).status).toBe(400);
    expect((await api.form({ grant_type: 'client_credentials' }, basic(caller.clientId, 'wrong'))).status).toBe(401);
    const refused = await api.form({ ...right, client_secret: 'wrong' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/);
    expect((await api.form(right)).status).toBe(200);
    const refresh = { ...right, grant_type: 'refresh_token', refresh_token: caller.tokens.refresh_token };
    expect((await api.form(refresh)).status).toBe(200);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const post = (fields: Record<string, string>) =>
      createApp(api.deps).request('/auth/token', { method: 'POST', headers, body: new URLSearchParams(fields).toString() });
    expect((await post({ ...right, client_secret: 'wrong' })).status).toBe(429);
    expect((await post(right)).status).toBe(200);
    expect((await caller.get('/orders')).status).toBe(200);
  });

  it('are no more than the limit, however many come at once and whatever token they carry', async () => {
    const api = await open({ RATE_LIMITS: 'failedLogins:3' });
    const { clientId, secret, headers } = await api.partner();
    const right = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
    const wrong = { ...right, client_secret: 'wrong' };
    const sent = [{}, { Authorization: 'Bearer x' }, headers];
    const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => api.form(wrong, sent[index % 3])));
    expect([count(answers, 200), count(answers, 429)]).toEqual([0, 57]);
    expect((await api.form(right)).status).toBe(200);
  });
});

it('questions for methods have a count of their own by address, over all copies of the API, with the limit of an application', async () => {
  const api = await open({ RATE_LIMITS: 'application:20,address:1', TRUST_PROXY: '1' });
  const copies = [createApp(api.deps), createApp(api.deps)];
  let turn = 0;
  const ask = async (address: string) =>
    (copies[(turn += 1) % 2] as (typeof copies)[number]).request('/orders', {
      method: 'OPTIONS',
      headers: { 'X-Forwarded-For': address, Origin: 'https://shop.example' },
    });
  const answers = await many(30, () => ask('203.0.113.1'));
  expect([count(answers, 204), count(answers, 429)]).toEqual([20, 10]);
  expect((await ask('203.0.113.2')).status).toBe(204);
  expect((await from(api, '203.0.113.1')).status).toBe(200);
});
