import { expect } from 'vitest';
import { settleLegs } from '../../src/ledger/orders/settling/settle-legs.ts';
import { fillShares } from '../../src/ledger/customers/profile-shares.ts';
import { newOrder, newProfile, newSubscription } from './requests.ts';
import type { Fact } from './documented-rows.ts';
import { send, type World } from './world.ts';

const txHash = `0x${'7a'.repeat(32)}`;

async function show(world: World, path: string) {
  return JSON.parse((await send(world, 'GET', path, { as: path.startsWith('/orders') ? 'private' : 'whitelabel' })).text);
}

async function placed(world: World): Promise<string> {
  const { text } = await send(world, 'POST', '/orders', { as: 'private', json: await newOrder(world) });
  return JSON.parse(text).id;
}

/** Ends the legs of an order one after the other, as the chain and the bank would; the last with `refused`. */
export async function endOrder({ api }: World, order: string, refused: string | null): Promise<void> {
  const next = () =>
    api.ledger.selectFrom('legs').where('orderId', '=', order).where('state', '=', 'ready').select('id').executeTakeFirst();
  for (let leg = await next(); leg; leg = await next()) await settleLegs(api.ledger, [{ legId: leg.id, txHash, blockNumber: 9n, refused }]);
}

const eventsOf = async ({ api }: World, subject: string) => {
  const rows = await api.ledger.selectFrom('events').where('subject', '=', subject).orderBy('sequence').select('type').execute();
  return rows.map(({ type }) => type);
};

/** The states of profiles, orders, IBANs and subscriptions, and what leads from one to the next. */
export const states: Fact[] = [
  {
    row: 'Profile: section incomplete, POST /profiles/{profile}/share',
    says: 'a section with sufficient data becomes pending; profile.updated tells it',
    async holds(world) {
      const id = await newProfile(world);
      await send(world, 'POST', `/profiles/${id}/share`, { as: 'whitelabel', json: { provider: 'sumsub', personal: { token: 'ok' } } });
      await fillShares(world.api.ledger, 100);
      expect(await show(world, `/profiles/${id}`)).toMatchObject({ details: { state: 'pending' }, form: { state: 'incomplete' } });
      expect(await eventsOf(world, id)).toContain('profile.updated');
    },
  },
  {
    row: 'Order: pending, processing completes',
    says: 'processed; order.updated; meta.processedAt and meta.txHashes are set',
    async holds(world) {
      const id = await placed(world);
      expect(await show(world, `/orders/${id}`)).toMatchObject({ state: 'placed', meta: { placedAt: expect.any(String) } });
      await endOrder(world, id, null);
      const { state, meta } = await show(world, `/orders/${id}`);
      expect([state, Object.keys(meta)]).toEqual(['processed', ['placedAt', 'processedAt', 'txHashes']]);
      expect(await eventsOf(world, id)).toEqual(['order.created', 'order.updated']);
    },
  },
  {
    row: 'Order: pending, processing fails or is declined',
    says: 'rejected; order.updated; meta.rejectedReason is set',
    async holds(world) {
      const id = await placed(world);
      await endOrder(world, id, 'insufficient balance');
      expect(await show(world, `/orders/${id}`)).toMatchObject({ state: 'rejected', meta: { rejectedReason: 'insufficient balance' } });
      expect(await eventsOf(world, id)).toEqual(['order.created', 'order.updated']);
    },
  },
  {
    row: 'IBAN: pending, asynchronous assignment completes',
    says: 'active, which is called approved; iban.updated is sent',
    async holds(world) {
      const { iban, profile } = world.whitelabel.own;
      expect(await show(world, `/ibans/${iban}`)).toMatchObject({ state: 'approved' });
      const { id } = await world.api.ledger.selectFrom('ibans').where('profile', '=', profile).select('id').executeTakeFirstOrThrow();
      expect(await eventsOf(world, id)).toEqual(['iban.updated']);
    },
  },
  {
    row: 'Webhook subscription',
    says: 'active when created, inactive and active again by PATCH',
    async holds(world) {
      const id = await newSubscription(world);
      for (const state of ['inactive', 'active']) {
        const { text } = await send(world, 'PATCH', `/webhooks/${id}`, { as: 'whitelabel', json: { state } });
        expect(JSON.parse(text).state).toBe(state);
      }
    },
  },
];
