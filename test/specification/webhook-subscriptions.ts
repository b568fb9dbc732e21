import { randomUUID } from 'node:crypto';
import { newSubscription } from './requests.ts';
import { below, type Endpoint, is } from './documented-rows.ts';
import * as shapes from './shapes.ts';
import { secret } from './world.ts';

/** The endpoints of webhook subscriptions (docs/api.md, Subscriptions). */
export const webhookSubscriptions: Endpoint[] = [
  {
    row: 'GET /webhooks',
    lists: [200, 500],
    answers: [is(200, '{subscriptions: [subscription]}', shapes.listOf('subscriptions', shapes.subscription), () => ({ as: 'private' }))],
    never: { 500: below },
  },
  {
    row: 'POST /webhooks',
    lists: [201, 400, 500],
    answers: [
      is(
        201,
        'the validation delivery succeeds; without types the defaults apply',
        shapes.subscription.refine(({ types, state }) => types.join() === 'iban.updated,profile.updated' && state === 'active'),
        ({ receiver }) => ({ as: 'whitelabel', json: { url: receiver.url(), secret } }),
      ),
      is(
        201,
        'types are given',
        shapes.subscription.refine(({ types }) => types.join() === 'order.created,order.updated'),
        ({ receiver }) => ({ as: 'private', json: { url: receiver.url(), secret, types: ['order.created', 'order.updated'] } }),
      ),
      is(400, 'the validation delivery fails', shapes.refusal(400, 'url'), ({ receiver }) => ({
        as: 'whitelabel',
        json: { url: receiver.url('/refuses'), secret },
      })),
      is(400, 'subscription.created is selected', shapes.refusal(400, 'types'), ({ receiver }) => ({
        as: 'whitelabel',
        json: { url: receiver.url(), secret, types: ['subscription.created'] },
      })),
      is(400, 'url and secret are missing', shapes.refusal(400, 'url', 'secret'), () => ({ as: 'whitelabel', json: {} })),
    ],
    never: { 500: below },
  },
  {
    row: 'PATCH /webhooks/{subscription}',
    lists: [200, 400, 404, 500],
    answers: [
      is(
        200,
        'state and types are changed',
        shapes.subscription.refine(({ types, state }) => types.join() === 'profile.error' && state === 'inactive'),
        async (world) => ({
          as: 'whitelabel',
          path: `/webhooks/${await newSubscription(world)}`,
          json: { state: 'inactive', types: ['profile.error'] },
        }),
      ),
      is(400, 'state is neither active nor inactive', shapes.refusal(400, 'state'), async (world) => ({
        as: 'whitelabel',
        path: `/webhooks/${await newSubscription(world)}`,
        json: { state: 'paused' },
      })),
      is(404, 'subscription does not exist', shapes.refusal(404), () => ({
        as: 'whitelabel',
        path: `/webhooks/${randomUUID()}`,
        json: { state: 'inactive' },
      })),
    ],
    never: { 500: below },
  },
];
