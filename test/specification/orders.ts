import { createWallet } from '../api/support/test-api.ts';
import { bankOrder, chainOrder } from '../api/orders/redeeming.ts';
import { own, query, newOrder } from './requests.ts';
import { type Endpoint, is } from './documented-rows.ts';
import * as shapes from './shapes.ts';
import { type World } from './world.ts';

const filters: [string, (world: World) => string][] = [
  ['address', (world) => own(world).wallet.address],
  ['txHash', (world) => `0x${own(world).order.replaceAll('-', '').repeat(2)}`],
  ['profile', (world) => own(world).profile],
  ['memo', () => 'Powered by Mintrail'],
  ['state', () => 'placed'],
];

/** The endpoints of orders (docs/api.md, Orders). */
export const orders: Endpoint[] = [
  {
    row: 'POST /orders',
    headers: 'A, B',
    lists: [200, 202, 401, 403],
    answers: [
      is(200, 'SEPA', shapes.order, async (world) => ({ as: 'private', json: await newOrder(world) })),
      is(200, 'cross-chain: the counterpart identifier standard is chain', shapes.order, async (world) => ({
        as: 'private',
        json: await chainOrder(own(world).wallet, createWallet().address),
      })),
      is(202, '{code, status}: the account signs on chain', shapes.accepted, async (world) => ({
        as: 'private',
        json: { ...(await newOrder(world)), signature: '0x' },
      })),
      ...['address', 'currency', 'chain', 'kind', 'amount', 'counterpart', 'message', 'signature'].map((field) =>
        is(400, `${field} is required`, shapes.refusal(400, field), async (world: World) => ({
          as: 'private' as const,
          json: { ...(await newOrder(world)), [field]: undefined },
        })),
      ),
      is(403, 'the user lets the application read only', shapes.refusal(403), async (world) => ({
        as: 'user',
        json: await bankOrder(world.user.own.wallet),
      })),
    ],
  },
  {
    row: 'GET /orders',
    headers: 'A, B',
    lists: [200, 401, 403],
    answers: [
      ...filters.map(([name, value]) =>
        is(
          200,
          `{orders: [Order]} by ${name}`,
          shapes.listOf('orders', shapes.order).refine(({ orders }) => (orders as unknown[]).length > 0),
          (world: World) => ({ as: 'private' as const, path: `/orders${query({ [name]: value(world) })}` }),
        ),
      ),
      is(403, 'profile is not the caller’s', shapes.refusal(403), ({ whitelabel }) => ({
        as: 'private',
        path: `/orders?profile=${whitelabel.own.profile}`,
      })),
    ],
  },
  {
    row: 'GET /orders/{orderId}',
    headers: 'A, B',
    lists: [200, 401, 403],
    answers: [
      is(200, 'Order', shapes.order, (world) => ({ as: 'private', path: `/orders/${own(world).order}` })),
      is(403, 'it is not the caller’s', shapes.refusal(403), ({ whitelabel }) => ({
        as: 'private',
        path: `/orders/${whitelabel.own.order}`,
      })),
    ],
  },
];
