import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventTypes } from '../../src/ledger/events.ts';
import { createSubscription, mostSubscriptions } from '../../src/ledger/webhook-subscriptions.ts';
import { createTestApi, eurToken, type Partner, type TestApi } from './partner.ts';
import { type Delivered, startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

let api: TestApi;
let receiver: WebhookReceiver;
let caller: Partner;
beforeAll(async () => {
  api = await createTestApi();
  receiver = await startReceiver();
  caller = await api.partner('whitelabel');
});
afterAll(async () => {
  await receiver?.close();
  await api?.close();
});
beforeEach(async () => {
  receiver.answer(200);
  receiver.delivered.length = 0;
  for (const table of ['webhook_deliveries', 'webhook_subscriptions'] as const) await api.ledger.deleteFrom(table).execute();
});

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const newSecret = (bytes = 32) => `whsec_${randomBytes(bytes).toString('base64')}`;
const invalid = (errors: Record<string, string>) => ({ code: 400, status: 'Bad Request', message: 'Validation errors', errors });
const remove = (id: string) => api.send('DELETE', `/webhooks/${id}`, { headers: caller.headers });
const listed = async (of = caller) => (await of.get('/webhooks')).json;

/** A subscription that the receiver has accepted. */
async function subscribe(given: Record<string, unknown> = {}, by = caller) {
  const secret = newSecret();
  const { status, json } = await by.post('/webhooks', { url: receiver.url(), secret, ...given });
  expect(status, JSON.stringify(json)).toBe(201);
  receiver.delivered.length = 0;
  return { ...(json as { id: string; url: string; types: string[]; state: string }), secret };
}

/** The one delivery that the receiver got, when it is signed by all of these secrets and no other. */
function onlyDelivery(...secrets: string[]): { type: string; timestamp: string } {
  expect(receiver.delivered).toHaveLength(1);
  const [{ headers, body }] = receiver.delivered as [Delivered];
  for (const secret of secrets) new Webhook(secret).verify(body, headers as Record<string, string>);
  expect(String(headers['webhook-signature']).split(' ')).toHaveLength(secrets.length);
  return JSON.parse(body) as { type: string; timestamp: string };
}

describe('POST /webhooks', () => {
  it('tells the URL so, signed by the secret, and answers 201 with the subscription', async () => {
    const secret = newSecret();
    const { status, json } = await caller.post('/webhooks', { url: receiver.url('/hooks?a=b'), secret });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.stringMatching(uuidV7),
      url: receiver.url('/hooks?a=b'),
      types: ['iban.updated', 'profile.updated'],
      state: 'active',
    });
    expect(receiver.delivered[0]?.path).toBe('/hooks?a=b');
    const body = onlyDelivery(secret);
    expect(Object.keys(body)).toEqual(['type', 'timestamp']);
    expect(body.type).toBe('subscription.created');
    expect(Math.abs(Date.now() - Date.parse(body.timestamp))).toBeLessThan(60_000);
    expect(receiver.delivered[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it.each(['whitelabel', 'private'] as const)('is for %s applications', async (kind) => {
    const by = await api.partner(kind);
    const { types } = await subscribe({}, by);
    expect(types).toEqual(['iban.updated', 'profile.updated']);
  });

  it('is not for applications that users authorize', async () => {
    const by = await api.partner('authorization_code');
    const { tokens } = await api.partner('private');
    await sql`update access_tokens set application = ${by.clientId} where application <> ${by.clientId}
      and user_id = (select user_id from access_tokens order by expires_at desc limit 1)`.execute(api.ledger);
    const headers = { Authorization: `Bearer ${tokens.access_token}`, 'Content-Type': 'application/json' };
    const { status, json } = await api.send('POST', '/webhooks', {
      headers,
      body: JSON.stringify({ url: receiver.url(), secret: newSecret() }),
    });
    expect(status).toBe(403);
    expect(json.message).toBe('This endpoint is available to whitelabel and private applications only');
    expect(receiver.delivered).toEqual([]);
  });

  it('needs a token', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const { status, json } = await api.send('POST', '/webhooks', { headers, body: '{}' });
    expect([status, json]).toEqual([401, { code: 401, status: 'Unauthorized', message: 'Not authenticated' }]);
  });

  it.each(eventTypes)('takes the type %s', async (type) => {
    expect((await subscribe({ types: [type] })).types).toEqual([type]);
  });

  it('takes each type once', async () => {
    const types = ['order.updated', 'order.created', 'order.updated'];
    expect((await subscribe({ types })).types).toEqual(['order.updated', 'order.created']);
  });

  it.each([24, 64])('takes a secret of %d bytes', async (bytes) => {
    await subscribe({ secret: newSecret(bytes) });
  });

  it.each([newSecret(23), newSecret(65), randomBytes(32).toString('base64'), 'whsec_', `${newSecret()}!`, ''])(
    'refuses the secret %#, in the words of the wire',
    async (secret) => {
      const { status, json } = await caller.post('/webhooks', { url: receiver.url(), secret });
      expect([status, json]).toEqual([400, invalid({ secret: 'Invalid secret: unable to decode' })]);
      expect(receiver.delivered).toEqual([]);
    },
  );

  it('names everything that is wrong at once', async () => {
    const { status, json } = await caller.post('/webhooks', { url: 'nowhere', secret: 'wrong', types: ['subscription.created'] });
    expect(status).toBe(400);
    expect(json).toEqual(
      invalid({
        url: 'must be an absolute URL, such as https://example.com/webhooks',
        secret: 'Invalid secret: unable to decode',
        types: 'must be a list of iban.updated, order.created, order.updated, profile.error, profile.updated',
      }),
    );
    expect((await caller.post('/webhooks', {})).json).toEqual(invalid({ url: 'is required', secret: 'is required' }));
  });

  it.each([
    [['subscription.created'], 'must be a list of iban.updated, order.created, order.updated, profile.error, profile.updated'],
    [['order.created', 'order.deleted'], 'must be a list of iban.updated, order.created, order.updated, profile.error, profile.updated'],
    [['order.created', null], 'must be a list of iban.updated, order.created, order.updated, profile.error, profile.updated'],
    [[], 'must name at least one type'],
    ['order.created', 'must be an array'],
    [null, 'must be an array'],
  ])('refuses the types %j', async (types, text) => {
    const { status, json } = await caller.post('/webhooks', { url: receiver.url(), secret: newSecret(), types });
    expect([status, json]).toEqual([400, invalid({ types: text })]);
  });

  it.each([
    [404, 'answered 404'],
    [500, 'answered 500'],
    [302, 'answered 302: redirects are not followed'],
    ['silence' as const, 'did not answer within 1 s'],
  ])('of a URL that answers with %s changes nothing and says why', async (answer, reason) => {
    receiver.answer(answer);
    const { status, json } = await caller.post('/webhooks', { url: receiver.url(), secret: newSecret() });
    expect([status, json]).toEqual([400, invalid({ url: `did not accept the delivery of subscription.created: ${reason}` })]);
    expect(await listed()).toEqual({ subscriptions: [], total: 0 });
  });

  it.each([
    ['http://127.0.0.1:1/', 'did not accept the delivery of subscription.created: refuses connections'],
    ['https://10.0.0.1/', 'leads to a private address, which webhooks do not go to'],
    ['https://169.254.169.254/latest/meta-data', 'leads to a link-local address, which webhooks do not go to'],
    ['http://8.8.8.8/', 'must begin with https:// unless it leads to a loopback address'],
    ['https://user:password@example.com/', 'must not contain a user name or a password: deliveries are signed'],
  ])('of %s changes nothing and says why', async (url, reason) => {
    const { status, json } = await caller.post('/webhooks', { url, secret: newSecret() });
    expect([status, json]).toEqual([400, invalid({ url: reason })]);
    expect((await listed()).total).toBe(0);
  });

  it(`refuses more than ${mostSubscriptions} of an application, also when they come at once, until one is deleted`, async () => {
    const stored = { url: 'https://example.com/', secret: newSecret(), types: [] };
    for (let n = 1; n < mostSubscriptions; n += 1) await createSubscription(api.ledger, caller.clientId, stored);
    const given = { url: receiver.url(), secret: newSecret() };
    // So many connections are open, so that none of these is late.
    await Promise.all(Array.from({ length: 8 }, () => sql`select pg_sleep(0.2)`.execute(api.ledger)));
    const atOnce = Array.from({ length: 8 }, () => createSubscription(api.ledger, caller.clientId, stored));
    expect((await Promise.allSettled(atOnce)).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = invalid({ subscriptions: `are ${mostSubscriptions} already, which is the most: change or delete one` });
    expect((await caller.post('/webhooks', given)).json).toEqual(refused);
    expect(receiver.delivered).toEqual([]);
    await remove((await listed()).subscriptions[0].id);
    expect((await caller.post('/webhooks', given)).status).toBe(201);
  });

  it('waits for few receivers of one application at once, and for those of others still', async () => {
    receiver.answer('silence');
    const other = await api.partner('private');
    const given = { url: receiver.url(), secret: newSecret() };
    const answers = Promise.all(Array.from({ length: 10 }, () => caller.post('/webhooks', given)));
    const statuses = (await answers).map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(4);
    expect(statuses.filter((status) => status === 429)).toHaveLength(6);
    expect((await answers).find(({ status }) => status === 429)?.headers.get('Retry-After')).toBe('10');

    const hanging = Promise.all(Array.from({ length: 4 }, () => caller.post('/webhooks', given)));
    expect((await other.post('/webhooks', given)).status).toBe(400);
    await hanging;
    receiver.answer(200);
    expect((await caller.post('/webhooks', given)).status).toBe(201);
  });
});

describe('POST /webhooks with an idempotency key', () => {
  it('happens once, also when the first run was broken off before its answer was kept', async () => {
    const body = JSON.stringify({ url: receiver.url(), secret: newSecret() });
    const headers = { ...caller.headers, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
    const post = () => api.send('POST', '/webhooks', { headers, body });
    const first = await post();
    expect(first.status).toBe(201);
    expect((await post()).json).toEqual(first.json);
    await sql`update idempotency_keys set status = null, body = null, claimed_until = now()`.execute(api.ledger);
    expect(await post()).toMatchObject({ status: 201, json: first.json });
    expect(receiver.delivered).toHaveLength(1);
    expect((await listed()).subscriptions).toEqual([first.json]);
  });
});

describe('GET /webhooks', () => {
  it("lists the application's own, the oldest first, without secrets", async () => {
    const [first, second] = [await subscribe({ types: ['order.created'] }), await subscribe()];
    await subscribe({}, await api.partner('whitelabel'));
    const { json, text } = await caller.get('/webhooks');
    const shown = [first, second].map(({ id, url, types, state }) => ({ id, url, types, state }));
    expect(json).toEqual({ subscriptions: shown, total: 2 });
    for (const { secret } of [first, second]) expect(text).not.toContain(secret.slice(6));
  });

  it('is of version 2', async () => {
    const headers = { ...caller.headers, Accept: 'application/vnd.mintrail.api-v1+json' };
    expect((await api.send('GET', '/webhooks', { headers })).status).toBe(406);
  });
});

describe('PATCH /webhooks/{subscription}', () => {
  it('changes the state, there and back, without asking the URL', async () => {
    const { id, url, types } = await subscribe();
    expect((await caller.patch(`/webhooks/${id}`, { state: 'inactive' })).json).toEqual({ id, url, types, state: 'inactive' });
    expect((await caller.patch(`/webhooks/${id.toUpperCase()}`, { state: 'active' })).json).toEqual({ id, url, types, state: 'active' });
    expect(receiver.delivered).toEqual([]);
  });

  it('changes the types and nothing else', async () => {
    const { id, url } = await subscribe();
    const { status, json } = await caller.patch(`/webhooks/${id}`, { types: ['profile.error', 'profile.error'] });
    expect([status, json]).toEqual([200, { id, url, types: ['profile.error'], state: 'active' }]);
  });

  it('of nothing changes nothing', async () => {
    const { id, url, types, state } = await subscribe();
    expect((await caller.patch(`/webhooks/${id}`, { unknown: 'field' })).json).toEqual({ id, url, types, state });
  });

  it('tells a new URL, signed by the secret, before it is the one', async () => {
    const { id, secret } = await subscribe();
    const { status, json } = await caller.patch(`/webhooks/${id}`, { url: receiver.url('/new') });
    expect([status, json.url]).toEqual([200, receiver.url('/new')]);
    expect(receiver.delivered[0]?.path).toBe('/new');
    expect(onlyDelivery(secret)).toMatchObject({ type: 'subscription.created' });
  });

  it('tells a new URL by the new secret and the one before', async () => {
    const { id, secret } = await subscribe();
    const next = newSecret();
    expect((await caller.patch(`/webhooks/${id}`, { url: receiver.url('/new'), secret: next })).status).toBe(200);
    onlyDelivery(next, secret);
  });

  it('of the same URL asks nobody', async () => {
    const { id } = await subscribe();
    expect((await caller.patch(`/webhooks/${id}`, { url: receiver.url('#part') })).status).toBe(200);
    expect(receiver.delivered).toEqual([]);
  });

  it('changes nothing when the new URL does not accept', async () => {
    const { id, secret } = await subscribe();
    const before = await rowOf(id);
    receiver.answer(500);
    const changes = { url: receiver.url('/new'), secret: newSecret(), state: 'inactive', types: ['order.created'] };
    const { status, json } = await caller.patch(`/webhooks/${id}`, changes);
    expect([status, json]).toEqual([400, invalid({ url: 'did not accept the delivery of subscription.created: answered 500' })]);
    expect(await rowOf(id)).toEqual(before);
    expect(before).toMatchObject({ secret, previous_secret: null });
  });

  it.each([
    [{ state: 'deleted' }, { state: 'must be one of active, inactive' }],
    [
      { types: ['subscription.created'], state: 'inactive' },
      { types: 'must be a list of iban.updated, order.created, order.updated, profile.error, profile.updated' },
    ],
    [{ types: [], state: 'inactive' }, { types: 'must name at least one type' }],
    [{ secret: 'whsec_short', state: 'inactive' }, { secret: 'Invalid secret: unable to decode' }],
    [{ url: 'https://10.0.0.1/', state: 'inactive' }, { url: 'leads to a private address, which webhooks do not go to' }],
  ])('of %j changes nothing', async (changes, errors) => {
    const { id } = await subscribe();
    const before = await rowOf(id);
    const { status, json } = await caller.patch(`/webhooks/${id}`, changes);
    expect([status, json]).toEqual([400, invalid(errors)]);
    expect(await rowOf(id)).toEqual(before);
  });

  it('leaves the secret before signing beside a new one for 24 hours', async () => {
    const { id, secret } = await subscribe();
    const [next, last] = [newSecret(), newSecret()];
    await caller.patch(`/webhooks/${id}`, { secret: next });
    const row = await rowOf(id);
    expect(row).toMatchObject({ secret: next, previous_secret: secret });
    expect(Math.abs(Number(row.previous_secret_until) - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
    // Given once more it is no new one, and the time goes on.
    await caller.patch(`/webhooks/${id}`, { secret: next });
    expect(await rowOf(id)).toMatchObject({ previous_secret: secret, previous_secret_until: row.previous_secret_until });

    await caller.patch(`/webhooks/${id}`, { url: receiver.url('/a') });
    onlyDelivery(next, secret);
    receiver.delivered.length = 0;
    await sql`update webhook_subscriptions set previous_secret_until = now() where id = ${id}`.execute(api.ledger);
    await caller.patch(`/webhooks/${id}`, { url: receiver.url('/b') });
    onlyDelivery(next);
    receiver.delivered.length = 0;
    await caller.patch(`/webhooks/${id}`, { url: receiver.url('/c'), secret: last });
    onlyDelivery(last, next);
  });
});

describe('DELETE /webhooks/{subscription}', () => {
  it('ends it, its secrets, and what was still to be delivered', async () => {
    const { id } = await subscribe();
    await caller.patch(`/webhooks/${id}`, { secret: newSecret() });
    const kept = await subscribe();
    const [ended, going] = [await pendingDelivery(id), await pendingDelivery(kept.id)];
    expect(await remove(id)).toMatchObject({ status: 200, json: {} });
    expect((await listed()).subscriptions).toMatchObject([{ id: kept.id }]);
    expect(await rowOf(id)).toMatchObject({ state: 'deleted', secret: null, previous_secret: null, previous_secret_until: null });
    const states = await api.ledger
      .selectFrom('webhook_deliveries')
      .where('id', 'in', [ended, going])
      .orderBy('id')
      .select('state')
      .execute();
    expect(states).toEqual([{ state: 'cancelled' }, { state: 'pending' }]);
  });

  it('ends it once', async () => {
    const { id } = await subscribe();
    expect((await remove(id)).status).toBe(200);
    expect((await remove(id)).status).toBe(404);
    expect((await caller.patch(`/webhooks/${id}`, { state: 'active' })).status).toBe(404);
  });
});

describe("a subscription that is not the application's", () => {
  it.each(['foreign', 'missing', 'no UUID'])('(%s) is 404 to change and to delete, and stays as it is', async (kind) => {
    const stranger = await api.partner('whitelabel');
    const { id } = await subscribe({}, stranger);
    const named = { foreign: id, missing: randomUUID(), 'no UUID': 'mine' }[kind] as string;
    const answers = [await caller.patch(`/webhooks/${named}`, { state: 'inactive', url: receiver.url('/mine') }), await remove(named)];
    for (const { status, json } of answers)
      expect([status, json]).toEqual([404, { code: 404, status: 'Not Found', message: `There is no webhook subscription ${named}` }]);
    expect(receiver.delivered).toEqual([]);
    expect((await listed(stranger)).subscriptions).toMatchObject([{ id, state: 'active', url: receiver.url() }]);
  });
});

describe('in production', () => {
  it.each([
    ['http', 'must begin with https://'],
    ['https', 'leads to a loopback address, which webhooks do not go to'],
  ])('%s to the own machine is refused, and nothing arrives there', async (scheme, reason) => {
    const production = await createTestApi({
      env: { MINTRAIL_ENVIRONMENT: 'production', GNOSIS_TOKENS: `eur:${eurToken}`, CHIADO_TOKENS: '', BASESEPOLIA_TOKENS: '' },
    });
    const by = await production.partner('whitelabel');
    const { status, json } = await by.post('/webhooks', { url: receiver.url().replace('http', scheme), secret: newSecret() });
    await production.close();
    expect([status, json]).toEqual([400, invalid({ url: reason })]);
    expect(receiver.delivered).toEqual([]);
  });
});

describe('what is known of a subscription elsewhere', () => {
  it('is in the audit log, without secrets and without the path of the URL', async () => {
    const { id, secret } = await subscribe({ url: receiver.url('/token-in-path') });
    const next = newSecret();
    await caller.patch(`/webhooks/${id}`, { secret: next });
    await caller.patch(`/webhooks/${id}`, { url: receiver.url('/another-token'), state: 'inactive' });
    await remove(id);
    const entries = await api.ledger.selectFrom('audit_log').where('subject', '=', id).orderBy('id').selectAll().execute();
    expect(entries.map(({ action }) => action)).toEqual(['webhook.create', 'webhook.rotate-secret', 'webhook.update', 'webhook.delete']);
    for (const entry of entries)
      expect(entry).toMatchObject({ actor_kind: 'application', actor: caller.clientId, correlation_id: expect.any(String) });
    const text = JSON.stringify(entries);
    for (const hidden of [secret.slice(6), next.slice(6), 'token-in-path', 'another-token']) expect(text).not.toContain(hidden);
  });

  it('is in no log line', async () => {
    const lines: string[] = [];
    // Without the redaction by name that the service's own log has.
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const logging = await createTestApi({ log });
    const by = await logging.partner('whitelabel');
    const secret = newSecret();
    await by.post('/webhooks', { url: receiver.url('/token-in-path'), secret });
    receiver.answer(500);
    await by.post('/webhooks', { url: receiver.url('/token-in-path'), secret });
    await by.post('/webhooks', { url: receiver.url('/token-in-path'), secret: `${secret}!` });
    await logging.close();
    expect(lines.filter((line) => line.includes('/webhooks')).length).toBeGreaterThanOrEqual(3);
    expect(lines.join('')).not.toContain(secret.slice(6));
    expect(lines.join('')).not.toContain('token-in-path');
  });
});

async function rowOf(id: string) {
  return api.ledger.selectFrom('webhook_subscriptions').where('id', '=', id).selectAll().executeTakeFirstOrThrow();
}

/** A delivery that waits, of an event of the caller's profile. */
async function pendingDelivery(subscription: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with made as (
      insert into events (type, profile, subject, data) values ('iban.updated', ${caller.profile}, gen_random_uuid(), '{}') returning *
    )
    insert into webhook_deliveries (subscription, event, type, subject, sequence)
    select ${subscription}, id, type, subject, sequence from made returning id
  `.execute(api.ledger);
  return rows[0]?.id as string;
}
