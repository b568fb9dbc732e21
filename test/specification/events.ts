import { createHmac } from 'node:crypto';
import { Registry } from 'prom-client';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import type { z } from 'zod';
import { createLog } from '../../src/platform/log.ts';
import { schedule } from '../../src/workers/webhooks/schedule.ts';
import { createWebhookWorker } from '../../src/workers/webhooks/webhooks.ts';
import { completed } from '../api/customers/profiles-data.ts';
import { bankOrder } from '../api/orders/redeeming.ts';
import { until } from '../support/until.ts';
import { target } from './requests.ts';
import type { Fact } from './documented-rows.ts';
import * as shapes from './shapes.ts';
import { endOrder } from './states.ts';
import type { ReceivedDelivery } from '../support/webhooks/receiver.ts';
import { secret, send, type World } from './world.ts';
import { testSealer } from '../support/test-sealer.ts';

const all = ['iban.updated', 'order.created', 'order.updated', 'profile.error', 'profile.updated'];

async function subscribe(world: World, as: 'private' | 'whitelabel', path: string, types?: string[]) {
  const url = world.receiver.url(path);
  const { text } = await send(world, 'POST', '/webhooks', { as, json: { url, secret, ...(types ? { types } : {}) } });
  return JSON.parse(text) as { id: string; types: string[] };
}

/** Lets the worker send until `done`, and returns what the path was sent. */
async function delivered(world: World, path: string, done: (received: ReceivedDelivery[]) => boolean): Promise<ReceivedDelivery[]> {
  const at = () => world.receiver.received.filter((delivery) => delivery.path === path);
  const { ledger, settings } = world.api.deps;
  const worker = createWebhookWorker({ settings, ledger, sealer: testSealer, log: createLog('silent'), registry: new Registry() });
  try {
    return await until(`${path} is told`, async () => (done(at()) ? at() : undefined), 20);
  } finally {
    await worker.close();
  }
}

const bodyOf = ({ body }: ReceivedDelivery) => JSON.parse(body) as { type: string; timestamp: string; data?: { id?: string } };
const typesOf = (received: ReceivedDelivery[]) => received.map((one) => bodyOf(one).type);

/** What makes an event of each type, of the whitelabel application's customer. */
const causes: Record<string, (world: World) => Promise<unknown>> = {
  async 'order.created'(world) {
    await send(world, 'POST', '/orders', { as: 'whitelabel', json: await bankOrder(world.whitelabel.own.wallet) });
  },
  async 'order.updated'(world) {
    const { text } = await send(world, 'POST', '/orders', { as: 'whitelabel', json: await bankOrder(world.whitelabel.own.wallet) });
    await endOrder(world, (JSON.parse(text) as { id: string }).id, null);
  },
  async 'profile.updated'(world) {
    await completed(world.api, world.whitelabel);
  },
  async 'iban.updated'(world) {
    const { iban, wallet } = world.whitelabel.own;
    await send(world, 'PATCH', `/ibans/${iban}`, { as: 'whitelabel', json: { ...target(world), address: wallet.address } });
  },
  async 'profile.error'(world) {
    const id = await completed(world.api, world.whitelabel);
    const json = { errors: [{ field: 'details.city', reason: 'does not exist' }] };
    await send(world, 'POST', `/sandbox/profiles/${id}/incomplete`, { as: 'whitelabel', json });
  },
};

const bodies: Record<string, z.ZodType> = {
  'order.created': shapes.event('order.created', shapes.order),
  'order.updated': shapes.event('order.updated', shapes.order),
  'profile.updated': shapes.event('profile.updated', shapes.profile),
  'iban.updated': shapes.event('iban.updated', shapes.ibanObject),
  'profile.error': shapes.event('profile.error', shapes.profileErrors),
};

const sentWhen: Record<string, string> = {
  'order.created': 'an order is created: {type, timestamp, data: Order}',
  'order.updated': 'an order is processed or rejected: {type, timestamp, data: Order}',
  'profile.updated': 'a profile state changes: {type, timestamp, data: Profile}',
  'iban.updated': 'an IBAN is updated: {type, timestamp, data: IBAN object}',
  'profile.error': 'opt-in only; enabled through types',
};

/** The types of events, then the rules of their delivery (docs/api.md, Events; docs/api.md, Deliveries). */
export const events: Fact[] = [
  {
    row: 'subscription.created',
    says: 'a subscription is created, and when an updated subscription is validated: {type, timestamp}',
    async holds(world) {
      const { id } = await subscribe(world, 'whitelabel', '/created');
      const url = world.receiver.url('/moved');
      await send(world, 'PATCH', `/webhooks/${id}`, { as: 'whitelabel', json: { url } });
      for (const path of ['/created', '/moved']) {
        const received = world.receiver.received.filter((delivery) => delivery.path === path);
        expect(received).toHaveLength(1);
        expect(JSON.parse(received[0]?.body ?? '')).toEqual({ type: 'subscription.created', timestamp: expect.stringMatching(/Z$/) });
      }
    },
  },
  ...Object.entries(causes).map(([type, cause]): Fact => ({
    row: type,
    says: sentWhen[type] ?? '',
    async holds(world) {
      const path = `/${type}`;
      await subscribe(world, 'whitelabel', path, [type]);
      await cause(world);
      const [, told] = await delivered(world, path, (received) => received.length > 1);
      expect(() => bodies[type]?.parse(JSON.parse(told?.body ?? '')), told?.body).not.toThrow();
    },
  })),
  {
    row: '2',
    says: 'defaults when no types given: iban.updated, profile.updated',
    async holds(world) {
      expect((await subscribe(world, 'whitelabel', '/defaults')).types).toEqual(['iban.updated', 'profile.updated']);
      for (const type of ['order.created', 'iban.updated']) await causes[type]?.(world);
      const received = await delivered(world, '/defaults', (told) => typesOf(told).includes('iban.updated'));
      expect(typesOf(received)).toEqual(['subscription.created', 'iban.updated']);
    },
  },
  {
    row: '3',
    says: 'if the validation delivery fails, the subscription is not created',
    async holds(world) {
      const listed = async () => JSON.parse((await send(world, 'GET', '/webhooks', { as: 'whitelabel' })).text).total as number;
      const before = await listed();
      const url = world.receiver.url('/refuses');
      expect((await send(world, 'POST', '/webhooks', { as: 'whitelabel', json: { url, secret } })).status).toBe(400);
      expect(await listed()).toBe(before);
    },
  },
  {
    row: '4',
    says: 'failed deliveries are retried with exponential backoff, up to 10 times over 12 hours',
    async holds() {
      expect([schedule.attempts, schedule.withinSeconds]).toEqual([10, 12 * 60 * 60]);
      expect(schedule.factor).toBeGreaterThan(1);
    },
  },
  {
    row: '5 and 6',
    says: 'webhook-id, webhook-timestamp, and webhook-signature over <webhook-id>.<webhook-timestamp>.<raw body>',
    async holds(world) {
      await subscribe(world, 'whitelabel', '/signed', ['order.created']);
      await causes['order.created']?.(world);
      const [, told] = await delivered(world, '/signed', (received) => received.length > 1);
      const { headers, body } = told as ReceivedDelivery;
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const digest = createHmac('sha256', key)
        .update([headers['webhook-id'], headers['webhook-timestamp'], body].join('.'))
        .digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${digest}`);
      expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(300);
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
    },
  },
  {
    row: '7',
    says: 'private applications receive only order events',
    async holds(world) {
      await subscribe(world, 'private', '/private', all);
      await send(world, 'PATCH', `/ibans/${world.private.own.iban}`, { as: 'private', json: target(world) });
      await send(world, 'POST', '/orders', { as: 'private', json: await bankOrder(world.private.own.wallet) });
      const received = await delivered(world, '/private', (told) => typesOf(told).includes('order.created'));
      expect(typesOf(received)).toEqual(['subscription.created', 'order.created']);
    },
  },
];
