import { Registry } from 'prom-client';
import { expect } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { schedule } from '../../src/workers/webhooks/schedule.ts';
import { createWebhookWorker } from '../../src/workers/webhooks/webhooks.ts';
import { bankOrder } from '../api/orders/redeeming.ts';
import { until } from '../support/until.ts';
import { target } from './requests.ts';
import type { Fact } from './documented-rows.ts';
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
    return await until(`${path} is told`, async () => (done(at()) ? at() : undefined));
  } finally {
    await worker.close();
  }
}

const bodyOf = ({ body }: ReceivedDelivery) => JSON.parse(body) as { type: string; timestamp: string; data?: { id?: string } };
const typesOf = (received: ReceivedDelivery[]) => received.map((one) => bodyOf(one).type);

/** What makes an event, of the whitelabel application's customer. */
const causes = {
  'order.created': async (world: World) =>
    send(world, 'POST', '/orders', { as: 'whitelabel', json: await bankOrder(world.whitelabel.own.wallet) }),
  'iban.updated': async (world: World) => {
    const { iban, wallet } = world.whitelabel.own;
    return send(world, 'PATCH', `/ibans/${iban}`, { as: 'whitelabel', json: { ...target(world), address: wallet.address } });
  },
};

/** The rules of events and their delivery, as far as the walk of the client does not show them (docs/api.md, Events; docs/api.md, Deliveries). */
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
  {
    row: '2',
    says: 'defaults when no types given: iban.updated, profile.updated',
    async holds(world) {
      expect((await subscribe(world, 'whitelabel', '/defaults')).types).toEqual(['iban.updated', 'profile.updated']);
      for (const cause of Object.values(causes)) await cause(world);
      const received = await delivered(world, '/defaults', (told) => typesOf(told).includes('iban.updated'));
      expect(typesOf(received)).not.toContain('order.created');
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
