import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { pauseSubscription } from '../../../src/ledger/webhooks/receiver-pause.ts';
import { signingSecrets } from '../../../src/ledger/webhooks/subscriptions.ts';
import { testSealer } from '../../support/test-sealer.ts';
import { createTestApi } from '../support/test-api.ts';
import { createSubscriber, invalid, newSecret } from './subscriber.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const world = forWholeFile(createSubscriber);
beforeEach(() => world.reset());

describe('GET /webhooks', () => {
  it("lists the application's own, the oldest first, without secrets", async () => {
    const [first, second] = [await world.subscribe({ types: ['order.created'] }), await world.subscribe()];
    await world.subscribe({}, await world.api.partner('whitelabel'));
    const { json, text } = await world.caller.get('/webhooks');
    const shown = [first, second].map(({ id, url, types, state }) => ({ id, url, types, state }));
    expect(json).toEqual({ subscriptions: shown, total: 2 });
    for (const { secret } of [first, second]) expect(text).not.toContain(secret.slice(6));
  });
});

describe('PATCH /webhooks/{subscription}', () => {
  it('ends the pause that its receiver has asked for, which is shown until then', async () => {
    const { id, url } = await world.subscribe();
    const shown = async () => (await world.listed()).subscriptions[0].pausedUntil;
    expect(await shown()).toBeUndefined();
    await pauseSubscription(world.api.ledger, id, { url, seconds: 3_600 });
    expect(Date.parse(await shown())).toBeGreaterThan(Date.now() + 3_500_000);
    expect((await world.caller.patch(`/webhooks/${id}`, {})).json).not.toHaveProperty('pausedUntil');
    expect(await shown()).toBeUndefined();
  });

  it('changes the state, there and back, or the types and nothing else, or nothing, without asking the URL', async () => {
    const { id, url, types } = await world.subscribe();
    const change = async (changes: object, as = id) => (await world.caller.patch(`/webhooks/${as}`, changes)).json;
    expect(await change({ state: 'inactive' })).toEqual({ id, url, types, state: 'inactive' });
    expect(await change({ state: 'active' }, id.toUpperCase())).toEqual({ id, url, types, state: 'active' });
    expect(await change({ types: ['profile.error', 'profile.error'] })).toEqual({ id, url, types: ['profile.error'], state: 'active' });
    expect(await change({ unknown: 'field' })).toEqual({ id, url, types: ['profile.error'], state: 'active' });
    expect(await change({ url: world.receiver.url('/hook#part') })).toMatchObject({ id, state: 'active' });
    expect(world.receiver.received).toEqual([]);
  });

  it('tells a new URL, signed by the secret, before it is the one', async () => {
    const { id, secret } = await world.subscribe();
    const { status, json } = await world.caller.patch(`/webhooks/${id}`, { url: world.receiver.url('/new') });
    expect([status, json.url]).toEqual([200, world.receiver.url('/new')]);
    expect(world.receiver.received[0]?.path).toBe('/new');
    expect(world.onlyDelivery(secret)).toMatchObject({ type: 'subscription.created' });
  });

  it('changes nothing when the new URL does not accept', async () => {
    const { id, secret } = await world.subscribe();
    const before = await world.rowOf(id);
    world.receiver.answerWith(500);
    const changes = { url: world.receiver.url('/new'), secret: newSecret(), state: 'inactive', types: ['order.created'] };
    const { status, json } = await world.caller.patch(`/webhooks/${id}`, changes);
    expect([status, json]).toEqual([400, invalid({ url: 'did not accept the delivery of subscription.created: answered 500' })]);
    expect(await world.rowOf(id)).toEqual(before);
    expect(before.previousSecret).toBeNull();
    expect(await signingSecrets(world.api.ledger, testSealer, id)).toEqual([secret]);
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
    const { id } = await world.subscribe();
    const before = await world.rowOf(id);
    const { status, json } = await world.caller.patch(`/webhooks/${id}`, changes);
    expect([status, json]).toEqual([400, invalid(errors)]);
    expect(await world.rowOf(id)).toEqual(before);
  });

  it('leaves the secret before signing beside a new one for 24 hours', async () => {
    const { id, secret } = await world.subscribe();
    const [next, last] = [newSecret(), newSecret()];
    await world.caller.patch(`/webhooks/${id}`, { secret: next });
    const row = await world.rowOf(id);
    expect(await signingSecrets(world.api.ledger, testSealer, id)).toEqual([next, secret]);
    expect(Math.abs(Number(row.previousSecretUntil) - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
    // Given once more it is no new one, and the time goes on.
    await world.caller.patch(`/webhooks/${id}`, { secret: next });
    const { previousSecret, previousSecretUntil } = row;
    expect(await world.rowOf(id)).toMatchObject({ previousSecret, previousSecretUntil });

    await world.caller.patch(`/webhooks/${id}`, { url: world.receiver.url('/a') });
    world.onlyDelivery(next, secret);
    world.receiver.received.length = 0;
    await sql`update webhook_subscriptions set previous_secret_until = now() where id = ${id}`.execute(world.api.ledger);
    await world.caller.patch(`/webhooks/${id}`, { url: world.receiver.url('/b') });
    world.onlyDelivery(next);
    world.receiver.received.length = 0;
    await world.caller.patch(`/webhooks/${id}`, { url: world.receiver.url('/c'), secret: last });
    world.onlyDelivery(last, next);
  });
});

describe('DELETE /webhooks/{subscription}', () => {
  it('ends it, its secrets, and what was still to be delivered', async () => {
    const { id } = await world.subscribe();
    await world.caller.patch(`/webhooks/${id}`, { secret: newSecret() });
    const kept = await world.subscribe();
    const [ended, going] = [await world.pendingDelivery(id), await world.pendingDelivery(kept.id)];
    expect(await world.remove(id)).toMatchObject({ status: 200, json: {} });
    expect((await world.listed()).subscriptions).toMatchObject([{ id: kept.id }]);
    expect(await world.rowOf(id)).toMatchObject({ state: 'deleted', secret: null, previousSecret: null, previousSecretUntil: null });
    const states = await world.api.ledger
      .selectFrom('webhookDeliveries')
      .where('id', 'in', [ended, going])
      .orderBy('id')
      .select('state')
      .execute();
    expect(states).toEqual([{ state: 'cancelled' }, { state: 'pending' }]);
  });
});

describe('what is known of a subscription elsewhere', () => {
  it('is in the audit log, without secrets and without the path of the URL', async () => {
    const { id, secret } = await world.subscribe({ url: world.receiver.url('/token-in-path') });
    const next = newSecret();
    await world.caller.patch(`/webhooks/${id}`, { secret: next });
    await world.caller.patch(`/webhooks/${id}`, { url: world.receiver.url('/another-token'), state: 'inactive' });
    await world.remove(id);
    const entries = await world.api.ledger.selectFrom('auditLog').where('subject', '=', id).orderBy('id').selectAll().execute();
    expect(entries.map(({ action }) => action)).toEqual(['webhook.create', 'webhook.rotate-secret', 'webhook.update', 'webhook.delete']);
    for (const entry of entries)
      expect(entry).toMatchObject({ actorKind: 'application', actor: world.caller.clientId, correlationId: expect.any(String) });
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
    await by.post('/webhooks', { url: world.receiver.url('/token-in-path'), secret });
    world.receiver.answerWith(500);
    await by.post('/webhooks', { url: world.receiver.url('/token-in-path'), secret });
    await by.post('/webhooks', { url: world.receiver.url('/token-in-path'), secret: `${secret}!` });
    await logging.close();
    expect(lines.filter((line) => line.includes('/webhooks')).length).toBeGreaterThanOrEqual(3);
    expect(lines.join('')).not.toContain(secret.slice(6));
    expect(lines.join('')).not.toContain('token-in-path');
  });
});
