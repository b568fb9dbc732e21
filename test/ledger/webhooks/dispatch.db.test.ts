import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { disableApplication } from '../../../src/ledger/access/applications/disable-application.ts';
import { createProfile } from '../../../src/ledger/customers/profiles.ts';
import { cancelDeliveries } from '../../../src/ledger/webhooks/attempts.ts';
import { dispatchEvents } from '../../../src/ledger/webhooks/dispatch.ts';
import { changeSubscription } from '../../../src/ledger/webhooks/subscriptions.ts';
import { createWebhookLedger } from '../../support/webhooks/webhook-ledger.ts';
import { createLedger, inTransaction } from '../../../src/ledger/ledger.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { createPool } from '../../../src/platform/database.ts';
import { testSealer } from '../../support/test-sealer.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const world = forWholeFile(createWebhookLedger);
const url = 'https://example.com/hook';

beforeEach(() => world.clear());

const dispatch = (limit = 1_000) => dispatchEvents(world.ledger, limit);
const positions = async () => world.ledger.selectFrom('events').orderBy('sequence').select(['id', 'position', 'sequence']).execute();
const received = async (subscription: string) => (await world.deliveries()).filter((one) => one.subscription === subscription);

describe('the dispatch of events', () => {
  it('gives positions in the order of events within a subject, in chunks, each event once however many dispatchers there are', async () => {
    const subscription = await world.subscribe(url);
    const orders = [randomUUID(), randomUUID(), randomUUID()];
    for (let step = 0; step < 10; step += 1) for (const order of orders) await world.orderEvent(order);
    const drain = async () => {
      for (let turn = 0; turn < 12; turn += 1) await dispatch(4);
    };
    await Promise.all([drain(), drain(), drain()]);
    while ((await dispatch(4)).events > 0);
    const all = await positions();
    const given = all.map(({ position }) => Number(position));
    expect(new Set(given).size).toBe(all.length);
    expect(given).toEqual(given.toSorted((one, other) => one - other));
    const made = await received(subscription);
    expect(made.map(({ event }) => event)).toEqual(all.map(({ id }) => id));
    expect(made.map(({ sequence }) => sequence)).toEqual(all.map(({ sequence }) => sequence));
  });

  it('gives an event that is committed late a position behind those that were read already', async () => {
    const late = Promise.withResolvers<void>();
    const inserted = Promise.withResolvers<void>();
    const committed = inTransaction(world.ledger, async (tx) => {
      await sql`insert into events (type, profile, subject, data) values ('profile.updated', ${world.profile}, ${world.profile}, '{}')`.execute(
        tx,
      );
      inserted.resolve();
      await late.promise;
    });
    await inserted.promise;
    await world.orderEvent(randomUUID());
    expect(await dispatch()).toMatchObject({ events: 1 });
    late.resolve();
    await committed;
    expect(await dispatch()).toMatchObject({ events: 1 });
    expect((await positions()).map(({ position }) => position)).toEqual([2n, 1n]);
  });

  it('gives positions, and makes no delivery, when nobody has subscribed', async () => {
    await world.orderEvent(randomUUID());
    expect(await dispatch()).toMatchObject({ events: 1, deliveries: 0 });
    expect(await dispatch()).toMatchObject({ events: 0, deliveries: 0 });
  });

  it('leaves an event to the next dispatch that follows a subscription of the moment between its look and the numbering', async () => {
    const pool = createPool({ connectionString: world.database.url, max: 1 });
    const late = Promise.withResolvers<{ subscription: string; event: string }>();
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
      client.query = (async (text: unknown, ...rest: unknown[]) => {
        if (String(text).includes('taken as materialized'))
          late.resolve({ subscription: await world.subscribe(url), event: await world.orderEvent(randomUUID()) });
        return query(text, ...rest);
      }) as typeof client.query;
    });
    await world.orderEvent(randomUUID());
    await dispatchEvents(createLedger(pool, wakesNobody), 1_000);
    await pool.end();
    await dispatch();
    const { subscription, event } = await late.promise;
    expect((await received(subscription)).map((delivery) => delivery.event)).toContain(event);
  });

  it('tells a partner what happens to the profiles that it manages and to nobody else', async () => {
    const subscription = await world.subscribe(url);
    const other = await createApplication(world.ledger, { kind: 'whitelabel', name: 'Rival', owner: world.manager });
    const foreign = await createProfile(world.ledger, { kind: 'personal', name: 'Eve', state: 'approved', application: other.id });
    await world.profileEvent('profile.updated', foreign);
    const own = [await world.profileEvent(), await world.profileEvent('profile.error'), await world.ibanEvent()];
    await dispatch();
    expect((await received(subscription)).map(({ event }) => event)).toEqual(own);
  });

  it('tells a private application what happens to the orders of its owner, whatever types it selected', async () => {
    const owner = await world.privateOwner();
    const subscription = await world.subscribe(url, { application: owner.application });
    await world.orderEvent(randomUUID());
    await world.profileEvent('profile.updated', owner.profile);
    await world.ibanEvent(owner.profile);
    const event = await world.orderEvent(randomUUID(), 'order.created', owner.profile);
    await dispatch();
    expect((await received(subscription)).map((one) => one.event)).toEqual([event]);
  });

  it('tells each subscription the types that it selected', async () => {
    const created = await world.subscribe(url, { types: ['order.created'] });
    const updated = await world.subscribe(url, { types: ['order.updated', 'profile.updated'] });
    const order = randomUUID();
    const first = await world.orderEvent(order, 'order.created');
    const second = await world.orderEvent(order);
    await dispatch();
    expect((await received(created)).map(({ event }) => event)).toEqual([first]);
    expect((await received(updated)).map(({ event }) => event)).toEqual([second]);
  });

  it('keeps nothing for a subscription that is inactive, or whose application is disabled', async () => {
    const inactive = await world.subscribe(url);
    await changeSubscription(world.ledger, testSealer, world.partner, inactive, { state: 'inactive' });
    const other = await createApplication(world.ledger, { kind: 'whitelabel', name: 'Gone', owner: world.manager });
    const profile = await createProfile(world.ledger, { kind: 'personal', name: 'Eve', state: 'approved', application: other.id });
    await world.subscribe(url, { application: other.id });
    await disableApplication(world.ledger, other.id);
    await world.orderEvent(randomUUID());
    await world.profileEvent('profile.updated', profile);
    expect(await dispatch()).toMatchObject({ events: 2, deliveries: 0 });
    await changeSubscription(world.ledger, testSealer, world.partner, inactive, { state: 'active' });
    expect(await dispatch()).toMatchObject({ events: 0, deliveries: 0 });
  });

  it('cancels what waits for a subscription that becomes inactive', async () => {
    const subscription = await world.subscribe(url);
    const kept = await world.subscribe(url);
    await world.orderEvent(randomUUID());
    await dispatch();
    await changeSubscription(world.ledger, testSealer, world.partner, subscription, { state: 'inactive' });
    expect(await cancelDeliveries(world.ledger, 100)).toBe(1);
    expect((await received(subscription)).map(({ state }) => state)).toEqual(['cancelled']);
    expect((await received(kept)).map(({ state }) => state)).toEqual(['pending']);
  });
});
