import { createRoute, z } from '@hono/zod-openapi';
import { requireProfile } from '../../ledger/access/permissions.ts';
import { findOrder, listOrders } from '../../ledger/orders/orders.ts';
import { orderBody, orderSchema } from '../../wire/order.ts';
import type { AddRoutes } from '../api.ts';
import { query } from '../http/query.ts';
import { pageRequest, paging } from '../http/paging.ts';
import { notAllowed } from '../http/errors.ts';
import { bearerAccess, errorResponses, json, listResponse } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';
import { isUuid } from '../../platform/uuid.ts';

/** More than the head of a request takes. What is longer than any memo finds nothing. */
const maxQueryText = 16_384;

const querySchema = query(
  z.object({
    profile: input.profile.optional(),
    address: input.address.optional().openapi({ description: 'Only orders of this address.' }),
    txHash: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/, 'must be a transaction hash: 0x and 64 hexadecimal digits')
      .transform((hash) => hash.toLowerCase())
      .optional()
      .openapi({ description: 'Only the orders that this transaction carried: `0x` and 64 hexadecimal digits.' }),
    memo: input.text(maxQueryText).optional().openapi({ description: 'Only orders with exactly this memo.' }),
    state: input.repeatable(['placed', 'pending', 'processed', 'rejected'], 'Only orders in this state.'),
    ...paging(input.uuid.optional().openapi({ description: 'The `id` of the last order of the page before.' }), 'placed'),
  }),
);

const access = bearerAccess('Orders');

const list = {
  method: 'get',
  path: '/orders',
  ...access,
  operationId: 'listOrders',
  summary: 'List the orders of a profile',
  description: 'The orders of a profile, latest first.',
  request: { query: querySchema },
  responses: {
    200: listResponse('orders', orderSchema, 'The orders of this page.', 'A page of orders.'),
    ...errorResponses(401, 403, 406, 'unknown_cursor'),
  },
} as const;

const get = {
  method: 'get',
  path: '/orders/{orderId}',
  ...access,
  operationId: 'readOrder',
  summary: 'Read an order',
  description: 'An order of a profile of the caller. An order that does not exist and one of somebody else are both answered with 403.',
  request: { params: z.object({ orderId: input.orderId }) },
  responses: { 200: json(orderSchema, 'The order.'), ...errorResponses(401, 403, 406) },
} as const;

/** `GET /orders` and `GET /orders/{orderId}` (docs/api.md, Orders). */
export const addOrders: AddRoutes = (api, { ledger, answerList }, guards) => {
  api.openapi(createRoute({ ...list, middleware: guards.caller }), async (context) => {
    const query = context.req.valid('query');
    const { address, txHash, memo, state } = query;
    const profile = await requireProfile(ledger, context.var.caller, query.profile);
    const page = await listOrders(ledger, { profile, address, txHash, memo, states: state }, pageRequest(query, 'placed'));
    return answerList(context, 'orders', page, orderBody);
  });

  api.openapi(createRoute({ ...get, middleware: guards.caller }), async (context) => {
    const id = context.req.valid('param').orderId.toLowerCase();
    const order = isUuid(id) ? await findOrder(ledger, context.var.caller, id) : undefined;
    // 403 and no 404 (docs/api.md, Orders): an order of somebody else gets the same answer as one that does not exist.
    if (!order) throw notAllowed('The order does not belong to a profile of the caller');
    return context.json(orderBody(order), 200);
  });
};
