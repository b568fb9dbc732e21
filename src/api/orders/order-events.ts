import { createRoute, z } from '@hono/zod-openapi';
import { orderHistoryTypes, type OrderHistoryEntry, historyLegs, readOrderHistory } from '../../ledger/orders/order-history.ts';
import { findOrder } from '../../ledger/orders/orders.ts';
import type { AddRoutes } from '../api.ts';
import { notAllowed } from '../http/errors.ts';
import { bearerAccess, errorResponses, json, listSchema } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';
import * as output from '../../wire/output-fields.ts';
import { isUuid } from '../../platform/uuid.ts';

const orderEvent = z
  .object({
    type: z
      .enum(orderHistoryTypes)
      .openapi({ description: 'What happened. Types may be added: programs should decide by the `state` of the order.' }),
    at: output.time.openapi({ description: 'When it happened (UTC).' }),
    leg: z
      .enum(historyLegs)
      .optional()
      .openapi({
        description:
          'The part of the order that it is about. `issue`: tokens to the holder; `redeem`: tokens from the holder; `payout`: money or tokens to the payee; `giveBack`: tokens of a ' +
          'refused payout, back to the holder; `return`: money back to the payer.',
      }),
    chain: output.chain.optional(),
    txHash: output.txHash.optional(),
    replaces: output.txHash.optional().openapi({ description: 'Hash of the transaction that it replaces, which offered lower fees.' }),
    block: z.int().optional().openapi({ description: 'Number of the block that contains the transaction.' }),
    endToEndId: z.string().optional().openapi({ description: 'EndToEndId of the payment to the bank (ISO 20022).' }),
    bankStatus: z.string().optional().openapi({ description: 'The status that the bank reported, such as `ACSP` (ISO 20022).' }),
    order: output.uuid.optional().openapi({
      description:
        'Of `payment.returned`: id of the order that gives the tokens back. Of the `order.placed` of that order: id of the order whose payout came back.',
    }),
    reason: z.string().optional().openapi({ description: 'Why it failed or was refused, for people.' }),
  })
  .openapi('OrderEvent', { description: 'An entry of the history of an order. What does not apply is left out.' });

/** `GET /orders/{orderId}/events`: the history of an order. */
export const addOrderEvents: AddRoutes = (api, { ledger }, guards) => {
  const route = createRoute({
    method: 'get',
    path: '/orders/{orderId}/events',
    ...bearerAccess('Orders'),
    operationId: 'listOrderEvents',
    summary: 'Read the history of an order',
    description:
      'What happened to an order, oldest first: signatures, transactions, confirmations, payments. It is for people; programs decide by the `state` of the order.',
    middleware: guards.caller,
    request: { params: z.object({ orderId: input.orderId }) },
    responses: {
      200: json(listSchema('events', orderEvent, 'The entries, oldest first.'), 'The history.'),
      ...errorResponses(401, 403, 406),
    },
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
