import { z } from '@hono/zod-openapi';
import { sql } from 'kysely';
import { fieldMessages } from '../../../src/api/http/errors.ts';
import { describe, expect, it } from 'vitest';
import { Hono } from 'hono';
import type { ApiDependencies, ApiEnv } from '../../../src/api/api.ts';
import { errorResponse } from '../../../src/api/http/error-response.ts';
import { acceptsVersion2 } from '../../../src/api/middlewares/accept.ts';
import { createBearer, createIdentify } from '../../../src/api/middlewares/bearer.ts';
import { createLog } from '../../../src/platform/log.ts';
import { RetryError, StopError } from '../../../src/platform/errors.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createLedger } from '../../../src/ledger/ledger.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { createSubscription } from '../../../src/ledger/webhooks/subscriptions.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { testSealer } from '../../support/test-sealer.ts';
import { type TestApi, createTestApi, createWallet, linkBody } from '../support/test-api.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(() => createTestApi({ deliver }));
/** What a receiver does before it answers a delivery. */
let onDelivery = async () => {};
const deliver: ApiDependencies['deliver'] = async () => {
  await onDelivery();
  return { ok: true, status: 200, reason: '', milliseconds: 0 };
};

describe('the Accept header', () => {
  it.each([
    [undefined, true],
    ['', true],
    ['*/*', true],
    ['application/*', true],
    ['application/json', true],
    ['application/json; charset=utf-8', true],
    ['application/vnd.mintrail.api-v2+json', true],
    ['application/vnd.any-other.vendor.api-v2+json', true],
    ['APPLICATION/VND.MINTRAIL.API-V2+JSON', true],
    ['text/html, application/xhtml+xml, */*;q=0.8', true],
    ['application/vnd.mintrail.api-v1+json;q=0.9, application/vnd.mintrail.api-v2+json;q=0.1', true],
    ['application/vnd.mintrail.api-v1+json, */*;q=0.1', true],
    ['application/vnd.mintrail.api-v1+json', false],
    ['application/vnd.mintrail.api-v3+json', false],
    ['application/vnd.mintrail.api-v22+json', false],
    ['application/vnd.mintrail+json', false],
    ['text/html', true],
    ['text/*', true],
    ['application/json;q=0', false],
    ['application/json;q=0.000', false],
    ['nonsense', true],
    ['text/html;q=0, application/vnd.mintrail.api-v1+json', false],
  ])('%s: served as version 2: %s', (header, served) => {
    expect(acceptsVersion2(header)).toBe(served);
  });

  it('of another version is 406 with the error body, before anything else', async () => {
    const answer = await api.send('GET', '/orders', { headers: { Accept: 'application/vnd.mintrail.api-v1+json' } });
    expect(answer.status).toBe(406);
    expect(answer.json).toMatchObject({ code: 406, status: 'Not Acceptable' });
  });

  it('of any vendor gets application/json', async () => {
    for (const path of ['/', '/countries', '/orders', '/nowhere']) {
      const { headers } = await api.send('GET', path, { headers: { Accept: 'application/vnd.other.api-v2+json' } });
      expect(headers.get('Content-Type')).toBe('application/json');
    }
  });
});

describe('the correlation id', () => {
  it("is the request's own, on refusals and unknown paths too", async () => {
    for (const path of ['/', '/orders', '/nowhere']) {
      const { headers } = await api.send('GET', path, { headers: { 'X-Correlation-Id': 'order-17.retry_2' } });
      expect(headers.get('X-Correlation-Id')).toBe('order-17.retry_2');
    }
  });

  it.each(['two words', 'x'.repeat(129), '{"a":1}', 'ünïcode', ''])('is a new one instead of "%s"', async (given) => {
    const { headers } = await api.send('GET', '/', { headers: { 'X-Correlation-Id': given } });
    expect(headers.get('X-Correlation-Id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('bearer authentication', () => {
  const unauthorized = { code: 401, status: 'Unauthorized', message: 'Not authenticated', reason: 'not_authenticated' };

  it.each([undefined, '', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', 'Bearer wrong', 'Bearer a b', 'Bearer \u00e9'])(
    'refuses "%s" with exactly the 401 body',
    async (header) => {
      const answer = await api.send('GET', '/orders', { headers: header === undefined ? {} : { Authorization: header } });
      expect(answer.status).toBe(401);
      expect(answer.json).toEqual(unauthorized);
      const error = header?.startsWith('Bearer') ? ', error="invalid_token"' : '';
      expect(answer.headers.get('WWW-Authenticate')).toBe(`Bearer realm="API"${error}`);
    },
  );

  it('takes the scheme in any case', async () => {
    const { tokens } = await api.partner();
    expect((await api.send('GET', '/orders', { headers: { Authorization: `bearer ${tokens.access_token}` } })).status).toBe(200);
  });

  // RFC 6750, sections 2.2, 2.3 and 3.1.
  it('takes no token in a form or a query, and says of one with too little permission which error that is', async () => {
    const { tokens, clientId, headers } = await api.partner();
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const token = `access_token=${tokens.access_token}`;
    expect((await api.send('POST', '/addresses', { headers: form, body: token })).status).toBe(401);
    expect((await api.send('GET', `/addresses?${token}`)).status).toBe(401);
    await api.ledger
      .updateTable('applications')
      .set({ permissions: ['read'] })
      .where('id', '=', clientId)
      .execute();
    const answer = await api.send('POST', '/addresses', { headers });
    expect([answer.status, answer.headers.get('WWW-Authenticate')]).toEqual([403, 'Bearer realm="API", error="insufficient_scope"']);
  });

  it('comes before validation', async () => {
    expect((await api.send('POST', '/addresses', { headers: { 'Content-Type': 'application/json' }, body: '{' })).status).toBe(401);
  });

  it('trusts a token for three seconds without asking the ledger again, and never beyond its end', async () => {
    const { tokens, clientId } = await api.partner();
    let now = Date.now();
    const bearer = createBearer(createIdentify(api.deps, () => now));
    const app = new Hono<ApiEnv>().use(bearer).get('/', (context) => context.text('in'));
    app.onError((error, context) => context.json(errorResponse(error).body, 401));
    const call = async () => (await app.request('/', { headers: { Authorization: `Bearer ${tokens.access_token}` } })).status;
    expect(await call()).toBe(200);
    await sql`delete from access_tokens where grant_id in (select id from grants where application = ${clientId})`.execute(api.ledger);
    now += 2_999;
    expect(await call()).toBe(200);
    now += 2;
    expect(await call()).toBe(401);
  });
});

describe('a token that has ended since it was looked up', () => {
  type Partner = Awaited<ReturnType<TestApi['partner']>>;
  const subscription = {
    url: 'https://shop.example/events',
    secret: `whsec_${Buffer.alloc(24).toString('base64')}`,
    types: ['order.created' as const],
  };
  const iban = 'DE89370400440532013000';

  it.each<[string, (caller: Partner, made: { address: string; id: string }) => ReturnType<Partner['post']>]>([
    ['an address by its signature', async (caller) => caller.post('/addresses', await linkBody(createWallet()))],
    [
      'an address that its account is to confirm',
      (caller) => caller.post('/addresses', { address: createWallet().address, chain: 'chiado', signature: '0x' }),
    ],
    ['an IBAN', (caller, { address }) => caller.post('/ibans', { address, chain: 'chiado' })],
    ['where an IBAN leads', (caller, { address }) => caller.patch(`/ibans/${iban}`, { address, chain: 'chiado' })],
    ['a webhook subscription', (caller) => caller.post('/webhooks', subscription)],
    ['where a webhook subscription leads', (caller, { id }) => caller.patch(`/webhooks/${id}`, { url: 'https://evil.example/' })],
  ])('does not make or change %s', async (_, request) => {
    const caller = await api.partner();
    const [first, second] = [await caller.link(), await caller.link()];
    const { id } = await createSubscription(api.ledger, testSealer, caller.clientId, { ...subscription, types: ['order.created'] });
    const address = lowerAddress(first.address);
    const given = { profile: caller.profile, bic: 'COBADEFFXXX', address, chain: 'chiado', state: 'approved' } as const;
    const { id: ibanId } = await api.ledger
      .insertInto('ibans')
      .values({ ...given, iban })
      .returning('id')
      .executeTakeFirstOrThrow();
    const end = async () =>
      void (await api.ledger.updateTable('grants').set({ endedAt: new Date() }).where('application', '=', caller.clientId).execute());
    const access = async () => ({
      links: await api.ledger.selectFrom('addresses').where('profile', '=', caller.profile).selectAll().execute(),
      requests: await api.ledger.selectFrom('signatureRequests').where('profile', '=', caller.profile).selectAll().execute(),
      ibans: await api.ledger.selectFrom('ibans').where('profile', '=', caller.profile).selectAll().execute(),
      subscriptions: await api.ledger.selectFrom('webhookSubscriptions').where('application', '=', caller.clientId).selectAll().execute(),
    });
    const before = await access();
    // Before the ledger writes anything, and for what a receiver is asked about first while it answers.
    onDelivery = end;
    if (!['a webhook subscription', 'where a webhook subscription leads'].includes(_)) await end();
    const { status, headers, json } = await request(caller, { address: second.address, id });
    onDelivery = async () => {};
    expect([status, json.reason, headers.get('WWW-Authenticate')]).toEqual([
      401,
      'not_authenticated',
      expect.stringContaining('invalid_token'),
    ]);
    expect(await access()).toEqual(before);
    await api.ledger.deleteFrom('ibans').where('id', '=', ibanId).execute();
  });
});

describe('an error', () => {
  it('that nobody foresaw is a 500 that says nothing', () => {
    const { status, body } = errorResponse(new Error('relation "secrets" does not exist at 10.0.0.7'));
    expect(status).toBe(500);
    expect(body).toEqual({ code: 500, status: 'Internal Server Error', message: 'Internal error', reason: 'internal_error' });
  });

  it('that nobody foresaw is documented where clients of this API family know it: webhooks and signatures', async () => {
    const broken = await createTestApi();
    const { get, post: send, patch } = await broken.partner();
    await broken.pool.query('drop table signature_requests cascade; drop table webhook_subscriptions cascade');
    const subscription = { url: 'http://127.0.0.1:9/', secret: `whsec_${Buffer.alloc(24).toString('base64')}` };
    for (const asked of [
      get('/signatures'),
      get('/webhooks'),
      patch(`/webhooks/${crypto.randomUUID()}`, { state: 'inactive' }),
      send('/webhooks', subscription),
    ])
      expect((await asked).json).toEqual(errorResponse(new Error('unforeseen')).body);
    await broken.close();
  });

  it('that no request is meant to cause is a 500 as well', () => {
    expect(errorResponse(new StopError({ code: 'invalid_settings', message: 'secret' })).body.message).toBe('Internal error');
  });

  it('names a hundred of tens of thousands of mistakes', () => {
    const { error } = z.array(z.string()).safeParse(Array.from({ length: 50_000 }, () => 0));
    expect(error?.issues).toHaveLength(50_000);
    expect(Object.keys(fieldMessages(error?.issues ?? []))).toHaveLength(100);
  });

  it('that may pass is a 503 with Retry-After', () => {
    const { status, headers } = errorResponse(new RetryError({ code: 'indexer_not_ready', message: 'soon' }));
    expect(status).toBe(503);
    expect(headers['Retry-After']).toBe('5');
  });

  it('for an unknown path is 404 in the same shape', async () => {
    const { status, json } = await api.send('GET', '/nowhere');
    expect(status).toBe(404);
    expect(json).toEqual({ code: 404, status: 'Not Found', message: 'There is no GET /nowhere', reason: 'not_found' });
  });
});

describe('a database outage', () => {
  it('is 503 and never 401', async () => {
    const pool = createPool({ connectionString: 'postgresql://nobody@127.0.0.1:1/none' });
    const down = await createTestApi({ pool, ledger: createLedger(pool, wakesNobody), database: api.database });
    const answer = await down.send('GET', '/orders', { headers: { Authorization: 'Bearer something' } });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Retry-After')).toBe('5');
    expect(answer.json).toMatchObject({ code: 503, status: 'Service Unavailable' });
    expect((await down.send('GET', '/health/ready')).json).toMatchObject({
      status: 'unavailable',
      checks: [{ name: 'database', ok: false, detail: 'unreachable' }],
    });
    await down.close();
  });
});

async function post(headers: Record<string, string>, body?: string | Buffer<ArrayBuffer>) {
  const caller = await api.partner();
  return api.send('POST', '/ibans', { headers: { ...caller.headers, ...headers }, ...(body === undefined ? {} : { body }) });
}

describe('a body', () => {
  const json = { 'Content-Type': 'application/json' };

  it('of another content type is 415, and says which is taken', async () => {
    expect(await post({ 'Content-Type': 'text/plain' }, '{}')).toMatchObject({
      status: 415,
      json: { code: 415, errors: { body: 'must be JSON, sent with the header Content-Type: application/json' } },
    });
  });

  it.each<[string, Record<string, string>, string | Buffer<ArrayBuffer> | undefined, Record<string, string>]>([
    ['that is no JSON', json, '{"address": ', { body: 'is empty or not valid JSON' }],
    ['that is missing', json, undefined, { body: 'is empty or not valid JSON' }],
    ['that is missing, as its content type is,', {}, undefined, { address: 'is required', chain: 'is required' }],
    ['that is no object', json, '[]', { body: 'must be an object' }],
    ['that is not UTF-8', json, Buffer.from('{"name": "Jörg Möller"}', 'latin1'), { body: 'must be UTF-8: byte 12 (0xf6) is not' }],
  ])('%s is a precise 400', async (_, headers, body, errors) => {
    const reason = 'invalid_request';
    expect((await post(headers, body)).json).toEqual({ code: 400, status: 'Bad Request', message: 'Validation errors', reason, errors });
  });

  it.each<[string, string, string | Buffer<ArrayBuffer>]>([
    ['begin with a byte order mark', 'application/json', Buffer.from('\uFEFF{}')],
    ['have a charset', 'application/json; charset=utf-8', '{}'],
    ["have any vendor's version 2 as its content type", 'application/vnd.mintrail.api-v2+json', '{}'],
  ])('may %s', async (_, type, body) => {
    expect((await post({ 'Content-Type': type }, body)).json.errors).toHaveProperty('address');
  });

  it('above 256 kB is 413, announced or not', async () => {
    const large = JSON.stringify({ address: 'x'.repeat(256 * 1024) });
    expect((await post(json, large)).status).toBe(413);
    expect((await post({ ...json, 'Content-Length': String(large.length) }, large)).status).toBe(413);
  });

  it.each(['/auth/token', '/auth/revoke'])('above 16 kB is 413 at %s, announced or not', async (path) => {
    const body = `grant_type=${'x'.repeat(16 * 1024)}`;
    for (const headers of [{}, { 'Content-Length': String(body.length) }]) {
      const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
      expect((await api.app.request(path, { method: 'POST', body, headers: { ...type, ...headers } })).status).toBe(413);
    }
  });
});

describe('every answer', () => {
  it('carries headers that keep browsers from sniffing, framing, caching and downgrading', async () => {
    const { headers } = await api.send('GET', '/orders');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'strict-transport-security': 'max-age=31536000',
    });
    for (const name of ['server', 'x-powered-by']) expect(headers.has(name)).toBe(false);
  });

  it('is one log line with duration, status and correlation id, without secrets', async () => {
    const lines: string[] = [];
    const log = createLog('info');
    const info = log.info.bind(log);
    log.info = ((fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }))) as typeof info;
    const logged = await createTestApi({ log, database: api.database });
    const { tokens, get, secret, clientId } = await logged.partner();
    lines.length = 0;
    await get('/orders?memo=confidential');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      message: 'request',
      method: 'GET',
      path: '/orders',
      status: 200,
      ms: expect.any(Number),
      correlationId: expect.any(String),
      application: clientId,
    });
    for (const hidden of [tokens.access_token, secret, 'confidential']) expect(lines[0]).not.toContain(hidden);
    await logged.close();
  });
});
