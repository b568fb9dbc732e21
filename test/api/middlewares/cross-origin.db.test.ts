import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createRegisteredOrigins } from '../../../src/api/middlewares/cross-origin.ts';
import { changeOrigins, originProblem } from '../../../src/ledger/access/applications/origins.ts';
import { disableApplication } from '../../../src/ledger/access/applications/disable-application.ts';
import { createTestApi, type Partner } from '../support/test-api.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const [own, foreign, nobodys] = ['https://shop.example', 'https://other.example', 'https://evil.example'];

const api = forWholeFile(createTestApi);
let shop: Partner;
let other: Partner;

beforeAll(async () => {
  [shop, other] = [await api.partner(), await api.partner('whitelabel')];
  const register = (id: string, add: string[]) => changeOrigins(api.ledger, id, { add, remove: [] }, 'sandbox');
  await register(shop.clientId, [own, 'http://localhost:*']);
  await register(other.clientId, [foreign]);
  const disabled = await api.partner();
  await register(disabled.clientId, [nobodys]);
  await disableApplication(api.ledger, disabled.clientId);
});

const cors = async (method: string, path: string, headers: Record<string, string>, body?: string) => {
  const answer = await api.app.request(path, { method, headers, ...(body === undefined ? {} : { body }) });
  await answer.body?.cancel();
  const fields = [...answer.headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary');
  return { status: answer.status, ...Object.fromEntries(fields) } as Record<string, unknown>;
};
const allowed = async (path: string, origin: string, headers: Record<string, string> = {}) =>
  (await cors('GET', path, { Origin: origin, ...headers }))['access-control-allow-origin'];
const preflight = (path: string, origin: string) =>
  cors('OPTIONS', path, { Origin: origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization' });

describe('a preflight', () => {
  it.each(['/orders', '/orders/stream', '/auth/token', '/auth/revoke'])(
    'is answered for the origins of every application: %s',
    async (path) => {
      expect(await preflight(path, foreign)).toEqual({
        status: 204,
        'access-control-allow-origin': foreign,
        'access-control-allow-methods': 'GET,HEAD,POST,PATCH,DELETE',
        'access-control-allow-headers': 'Accept,Authorization,Content-Type,Idempotency-Key,Last-Event-ID,X-Correlation-Id',
        'access-control-max-age': '600',
        vary: 'Origin, Access-Control-Request-Headers',
      });
    },
  );

  it('is not answered for an origin that no active application registered', async () => {
    for (const origin of [nobodys, 'null', `${own}.evil.example`, 'http://shop.example', `${own}:8443`])
      expect(await preflight('/orders', origin)).not.toHaveProperty('access-control-allow-origin');
  });

  it('costs no query', async () => {
    await preflight('/orders', own);
    const connect = vi.spyOn(api.pool, 'connect');
    for (let count = 0; count < 50; count += 1) await preflight('/orders', `https://${count}.example`);
    expect(connect).not.toHaveBeenCalled();
    connect.mockRestore();
  });
});

// RFC 9110, section 9.3.7.
it.each([
  ['/orders', 'GET, HEAD, POST, OPTIONS'],
  ['/', 'GET, HEAD, OPTIONS'],
  ['/authorize/consent', 'GET, HEAD, POST, OPTIONS'],
])('OPTIONS by itself names the methods of %s', async (path, methods) => {
  const answer = await api.app.request(path, { method: 'OPTIONS', headers: { Origin: own } });
  expect([answer.status, answer.headers.get('Allow'), await answer.text()]).toEqual([204, methods, '']);
  expect((await cors('OPTIONS', '/nothing', {})).status).toBe(404);
});

describe('the answer to a request', () => {
  it("is readable for the origins of its token's application", async () => {
    expect(await cors('GET', '/orders', { Origin: own, ...shop.headers })).toEqual({
      status: 200,
      'access-control-allow-origin': own,
      'access-control-expose-headers':
        'Idempotency-Replayed, Last-Event-ID, Link, Retry-After, WWW-Authenticate, X-Correlation-Id, X-Total-Count',
      vary: 'Origin',
    });
    expect(await allowed('/orders/stream', own, { Accept: 'text/event-stream', ...shop.headers })).toBe(own);
    // Errors as well: a page shows what is wrong.
    expect(await allowed('/orders/nothing', own, shop.headers)).toBe(own);
  });

  it('is not readable for any other origin, and differs by origin for caches, also without one', async () => {
    for (const origin of [{ Origin: foreign }, { Origin: nobodys }, { Origin: 'null' }, {}])
      expect(await cors('GET', '/orders', { ...origin, ...shop.headers })).toEqual({ status: 200, vary: 'Origin' });
  });

  it('to a token that has expired is readable, so that a page can renew it', async () => {
    expect(await cors('GET', '/orders', { Origin: foreign, Authorization: 'Bearer expired' })).toMatchObject({
      status: 401,
      'access-control-allow-origin': foreign,
    });
    expect(await allowed('/orders', nobodys, { Authorization: 'Bearer expired' })).toBeUndefined();
  });

  it('that is the same for everybody is readable for everybody', async () => {
    for (const path of ['/', '/tokens', '/countries', '/openapi.json', '/.well-known/oauth-authorization-server'])
      expect(await allowed(path, nobodys)).toBe('*');
  });

  it('that is a page is never readable, nor announced by a preflight', async () => {
    for (const path of ['/authorize/sign-in', '/account/sign-in', '/docs', '/health/live']) {
      expect(await allowed(path, own)).toBeUndefined();
    }
    expect(await preflight('/authorize/sign-in', own)).toEqual({ status: 204 });
  });

  // RFC 9700, section 2.6.
  it('of the authorization endpoint is never readable: browsers are sent there, and no script asks it', async () => {
    for (const query of ['', `?client_id=${shop.clientId}`]) expect(await allowed(`/auth${query}`, own)).toBeUndefined();
    expect(await preflight('/auth', own)).toEqual({ status: 204 });
  });
});

const tokens = (origin: string, clientId: string, secret: string) =>
  cors(
    'POST',
    '/auth/token',
    { Origin: origin, 'Content-Type': 'application/x-www-form-urlencoded' },
    new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret }).toString(),
  );

describe('the token endpoint', () => {
  it('is readable for the origins of the client that the request names', async () => {
    expect(await tokens(own, shop.clientId, shop.secret)).toMatchObject({ status: 200, 'access-control-allow-origin': own });
    expect(await tokens(own, shop.clientId, 'wrong')).toMatchObject({ status: 400, 'access-control-allow-origin': own });
    expect(await tokens(foreign, shop.clientId, shop.secret)).toEqual({ status: 200, vary: 'Origin' });
  });
});

describe('registered origins', () => {
  it.each(['https://a.example', 'https://a.example:8443', 'http://a.example', 'http://localhost:*', 'http://[::1]:*'])(
    'may be %s in the sandbox',
    (origin) => expect(originProblem(origin, 'sandbox')).toBeUndefined(),
  );

  it.each(['*', 'null', 'https://*.example', 'https://a.example/', 'https://A.example', 'https://a.example:443', 'https://a.example:*'])(
    'may not be %s',
    (origin) => expect(originProblem(origin, 'sandbox')).toBeDefined(),
  );

  it('are https in production', () => {
    expect(originProblem('http://localhost:3000', 'production')).toBe('must begin with https:// in production');
    expect(originProblem('http://localhost:*', 'production')).toBeDefined();
  });

  it('of a loopback host may stand for every port in the sandbox', async () => {
    expect(await allowed('/orders', 'http://localhost:5173', shop.headers)).toBe('http://localhost:5173');
    for (const origin of ['https://localhost:5173', 'http://localhost.evil.example', 'http://127.0.0.1:5173'])
      expect(await allowed('/orders', origin, shop.headers)).toBeUndefined();
  });

  it('are read again after three seconds, and those read last serve through an outage', async () => {
    let now = 0;
    const registered = createRegisteredOrigins(api.deps, () => now);
    expect(await registered.has('https://new.example')).toBe(false);
    await changeOrigins(api.ledger, shop.clientId, { add: ['https://new.example'], remove: [] }, 'sandbox');
    now += 2_999;
    expect(await registered.has('https://new.example')).toBe(false);
    now += 1;
    expect(await registered.has('https://new.example', shop.clientId)).toBe(true);
    now += 3_000;
    const connect = vi.spyOn(api.pool, 'connect').mockRejectedValue(new Error('connection refused'));
    expect(await registered.has('https://new.example')).toBe(true);
    connect.mockRestore();
  });
});
