import { createWallet } from '../api/support/test-api.ts';
import { chainOrder } from '../api/orders/redeeming.ts';
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

const required = ['address', 'currency', 'chain', 'kind', 'amount', 'counterpart', 'message', 'signature'];

/** The endpoints of orders (docs/api.md, Orders). */
export const orders: Endpoint[] = [
  {
    row: 'POST /orders',
    lists: [200, 202],
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
      is(400, 'all of them are required', shapes.refusal(400, ...required), (world) => ({ as: 'private', json: { id: own(world).order } })),
    ],
  },
  {
    row: 'GET /orders',
    lists: [200],
    answers: filters.map(([name, value]) =>
      is(
        200,
        `{orders: [Order]} by ${name}`,
        shapes.listOf('orders', shapes.order).refine(({ orders }) => (orders as unknown[]).length > 0),
        (world: World) => ({ as: 'private' as const, path: `/orders${query({ [name]: value(world) })}` }),
      ),
    ),
  },
  {
    row: 'GET /orders/{orderId}',
    lists: [200],
    answers: [is(200, 'Order', shapes.order, (world) => ({ as: 'private', path: `/orders/${own(world).order}` }))],
  },
];
