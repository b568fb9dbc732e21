import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventTypes } from '../../../src/ledger/orders/events.ts';
import { createSubscription } from '../../../src/ledger/webhooks/subscriptions.ts';
import { defaultQuotas } from '../../../src/platform/settings.ts';
import { createTestApi, eurToken } from '../support/test-api.ts';
import { createSubscriber, invalid, newSecret } from './subscriber.ts';
import { testSealer } from '../../support/test-sealer.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const world = forWholeFile(createSubscriber);
beforeEach(() => world.reset());

const known = 'must be a list of iban.updated, order.created, order.updated, profile.error, profile.updated';
const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('POST /webhooks', () => {
  it('tells the URL so, signed by the secret, and answers 201 with the subscription', async () => {
    const secret = newSecret();
    const { status, json } = await world.caller.post('/webhooks', { url: world.receiver.url('/hooks?a=b'), secret });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.stringMatching(uuidV4),
      url: world.receiver.url('/hooks?a=b'),
      types: ['iban.updated', 'profile.updated'],
      state: 'active',
    });
    expect(world.receiver.received[0]?.path).toBe('/hooks?a=b');
    const body = world.onlyDelivery(secret);
    expect(Object.keys(body)).toEqual(['type', 'timestamp']);
    expect(body.type).toBe('subscription.created');
    expect(Math.abs(Date.now() - Date.parse(body.timestamp))).toBeLessThan(60_000);
    expect(world.receiver.received[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('takes every type, each once', async () => {
    for (const types of [...eventTypes.map((type) => [type]), ['order.updated', 'order.created']])
      expect((await world.subscribe({ types: [...types, types[0]] })).types).toEqual(types);
  });

  it('names everything that is wrong at once', async () => {
    const { status, json } = await world.caller.post('/webhooks', { url: 'nowhere', secret: 'wrong', types: ['subscription.created'] });
    const url = 'must be an absolute URL, such as https://example.com/webhooks';
    expect([status, json]).toEqual([400, invalid({ url, secret: 'Invalid secret: unable to decode', types: known })]);
    expect((await world.caller.post('/webhooks', {})).json).toEqual(invalid({ url: 'is required', secret: 'is required' }));
  });

  it.each([
    [['order.created', 'order.deleted'], known],
    [['order.created', null], known],
    [[], 'must name at least one type'],
    ['order.created', 'must be an array'],
  ])('refuses the types %j', async (types, text) => {
    const { status, json } = await world.caller.post('/webhooks', { url: world.receiver.url(), secret: newSecret(), types });
    expect([status, json]).toEqual([400, invalid({ types: text })]);
  });

  it.each([
    [404, 'answered 404'],
    [500, 'answered 500'],
    [302, 'answered 302: redirects are not followed'],
    ['hang' as const, 'did not answer within 3 s'],
  ])('of a URL that answers with %s changes nothing and says why', async (answer, reason) => {
    world.receiver.answerWith(answer);
    const { status, json } = await world.caller.post('/webhooks', { url: world.receiver.url(), secret: newSecret() });
    expect([status, json]).toEqual([400, invalid({ url: `did not accept the delivery of subscription.created: ${reason}` })]);
    expect(await world.listed()).toEqual({ subscriptions: [], total: 0 });
  });

  const maxSubscriptions = defaultQuotas.subscriptions;
  it(`refuses more than ${maxSubscriptions} of an application, also when they come at once, until one is deleted`, async () => {
    const stored = { url: 'https://example.com/', secret: newSecret(), types: [] };
    for (let n = 1; n < maxSubscriptions; n += 1) await createSubscription(world.api.ledger, testSealer, world.caller.clientId, stored);
    const given = { url: world.receiver.url(), secret: newSecret() };
    // So many connections are open, so that none of these is late.
    await Promise.all(Array.from({ length: 8 }, () => sql`select pg_sleep(0.2)`.execute(world.api.ledger)));
    const atOnce = Array.from({ length: 8 }, () => createSubscription(world.api.ledger, testSealer, world.caller.clientId, stored));
    expect((await Promise.allSettled(atOnce)).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = invalid({ subscriptions: `are ${maxSubscriptions} already, which is the most: change or delete one` });
    expect((await world.caller.post('/webhooks', given)).json).toEqual({ ...refused, reason: 'quota_exceeded' });
    expect(world.receiver.received).toEqual([]);
    await world.remove((await world.listed()).subscriptions[0].id);
    expect((await world.caller.post('/webhooks', given)).status).toBe(201);
  });

  it('waits for few receivers of one application at once, and for those of others still', async () => {
    world.receiver.answerWith('hang');
    const other = await world.api.partner('private');
    const given = { url: world.receiver.url(), secret: newSecret() };
    const answers = Promise.all(Array.from({ length: 10 }, () => world.caller.post('/webhooks', given)));
    const statuses = (await answers).map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(4);
    expect(statuses.filter((status) => status === 429)).toHaveLength(6);
    expect((await answers).find(({ status }) => status === 429)?.headers.get('Retry-After')).toBe('10');

    const hanging = Promise.all(Array.from({ length: 4 }, () => world.caller.post('/webhooks', given)));
    expect((await other.post('/webhooks', given)).status).toBe(400);
    await hanging;
    world.receiver.answerWith(200);
    expect((await world.caller.post('/webhooks', given)).status).toBe(201);
  });
});

describe('POST /webhooks with an idempotency key', () => {
  it('happens once, also when the first run was broken off before its answer was kept', async () => {
    const body = JSON.stringify({ url: world.receiver.url(), secret: newSecret() });
    const headers = { ...world.caller.headers, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
    const post = () => world.api.send('POST', '/webhooks', { headers, body });
    const first = await post();
    expect(first.status).toBe(201);
    expect((await post()).json).toEqual(first.json);
    await sql`update idempotency_keys set status = null, body = null, claimed_until = now()`.execute(world.api.ledger);
    expect(await post()).toMatchObject({ status: 201, json: first.json });
    expect(world.receiver.received).toHaveLength(1);
    expect((await world.listed()).subscriptions).toEqual([first.json]);
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
    const { status, json } = await by.post('/webhooks', { url: world.receiver.url().replace('http', scheme), secret: newSecret() });
    await production.close();
    expect([status, json]).toEqual([400, invalid({ url: reason })]);
    expect(world.receiver.received).toEqual([]);
  });
});
