import { createRoute, z } from '@hono/zod-openapi';
import { orderHistoryTypes, type OrderHistoryEntry, historyLegs, readOrderHistory } from '../../ledger/orders/order-history.ts';
import { findOrder } from '../../ledger/orders/orders.ts';
import type { AddRoutes } from '../api.ts';
import { notAllowed } from '../http/errors.ts';
import { bearerAccess, errorResponses, json, listSchema } from '../http/responses.ts';
import * as output from '../../wire/output-fields.ts';
import { isUuid } from '../../platform/uuid.ts';

const orderEvent = z
  .object({
    type: z.enum(orderHistoryTypes),
    at: output.time,
    leg: z.enum(historyLegs).optional().openapi({ description: 'issue and redeem: tokens; giveBack: tokens of a refused payout' }),
    chain: output.chain.optional(),
    txHash: z.string().optional(),
    replaces: z.string().optional().openapi({ description: 'hash of the transaction that it replaces, which offered lower fees' }),
    block: z.int().optional(),
    endToEndId: z.string().optional().openapi({ description: 'of the payment to the bank' }),
    bankStatus: z.string().optional().openapi({ description: "the bank's own word, such as ACSP" }),
    reason: z.string().optional(),
  })
  .openapi('OrderEvent');

/** `GET /orders/{orderId}/events`: the history of an order. */
export const addOrderEvents: AddRoutes = (api, { ledger }, guards) => {
  const route = createRoute({
    method: 'get',
    path: '/orders/{orderId}/events',
    ...bearerAccess('Orders'),
    summary: 'Read the history of an order, oldest first',
    middleware: guards.caller,
    request: { params: z.object({ orderId: z.string() }) },
    responses: { 200: json(listSchema('events', orderEvent), 'The history'), ...errorResponses(401, 403, 406) },
  });
  api.openapi(route, async (context) => {
    const id = context.req.valid('param').orderId.toLowerCase();
    const order = isUuid(id) ? await findOrder(ledger, context.var.caller, id) : undefined;
    if (!order) throw notAllowed('The order does not belong to a profile of the caller');
    const events = await readOrderHistory(ledger, id);
    return context.json({ events: events.map(eventBody), total: events.length }, 200);
  });
};

function eventBody({ type, at, leg, block, ...facts }: OrderHistoryEntry): z.infer<typeof orderEvent> {
  const entry = { leg, ...facts, block: block === null ? null : Number(block) };
  return { type, at: at.toISOString(), ...withoutNulls(entry) };
}

type Present<Facts> = { [Name in keyof Facts]?: NonNullable<Facts[Name]> };

function withoutNulls<Facts extends object>(facts: Facts): Present<Facts> {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null)) as Present<Facts>;
}
