import { createRoute, z } from '@hono/zod-openapi';
import { eventTypes } from '../../ledger/orders/events.ts';
import { type DeliveryView, listDeliveries } from '../../ledger/webhooks/delivery-queries.ts';
import { replayDeliveries } from '../../ledger/webhooks/replay.ts';
import { findSubscription, type Subscription } from '../../ledger/webhooks/subscriptions.ts';
import { StopError } from '../../platform/errors.ts';
import type { AddRoutes } from '../api.ts';
import { limit, pageRequest, paging } from '../http/paging.ts';
import { notFound } from '../http/errors.ts';
import { acceptedBody, acceptedSchema, bearerAccess, json, errorResponses } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';
import * as output from '../../wire/output-fields.ts';
import { isUuid } from '../../platform/uuid.ts';

/** Size of a page, as that of the orders: no list of deliveries is answered whole. */
const defaultLimit = 100;

const access = bearerAccess('Webhooks');

const subscription = z.string().openapi({ format: 'uuid' });

const attempt = z.object({
  at: output.time,
  status: z.int().optional().openapi({ description: 'what the receiver answered' }),
  error: z.string().optional().openapi({ description: 'why the attempt failed' }),
  duration: z.int().openapi({ description: 'milliseconds' }),
});

const delivery = z
  .object({
    id: output.uuid,
    event: output.uuid.openapi({ description: 'id of the event: the webhook-id' }),
    type: z.enum(eventTypes),
    subject: output.uuid.openapi({ description: 'what the event is about: an order, a profile, or an IBAN' }),
    state: z.enum(['pending', 'delivered', 'failed', 'cancelled']),
    attempts: z.int().openapi({ description: 'attempts since it was made or replayed' }),
    history: z.array(attempt).openapi({ description: 'the latest attempts, the oldest first' }),
    meta: z.object({ createdAt: output.time, endedAt: output.time.optional(), nextAttemptAt: output.time.optional() }),
  })
  .openapi('WebhookDelivery');

const list = {
  method: 'get',
  path: '/webhooks/{subscription}/deliveries',
  ...access,
  summary: 'The deliveries to a subscription, latest first',
  request: {
    params: z.object({ subscription }),
    query: z.object({
      state: input.repeatable(['pending', 'delivered', 'failed', 'cancelled']),
      type: input.repeatable(eventTypes),
      ...paging(input.uuid.optional().openapi({ description: 'id of the last delivery of the page before' }), 'created'),
      limit: limit.default(defaultLimit),
    }),
  },
  responses: {
    200: json(z.object({ deliveries: z.array(delivery), total: z.int() }), 'A page'),
    ...errorResponses(400, 401, 403, 404, 406),
  },
} as const;

const replay = {
  method: 'post',
  path: '/webhooks/{subscription}/deliveries/{delivery}/replay',
  ...access,
  summary: 'Send a delivery again, under the same webhook-id and with all its attempts',
  request: { params: z.object({ subscription, delivery: z.string().openapi({ format: 'uuid' }) }) },
  responses: { 202: json(acceptedSchema, 'It goes again'), ...errorResponses(401, 403, 404, 406, 409) },
} as const;

/** What became of the events of a subscription, and sending them again. */
export const addWebhookDeliveries: AddRoutes = (api, { ledger }, guards) => {
  const requireOwn = async (application: string, named: string): Promise<Subscription> => {
    const found = isUuid(named) ? await findSubscription(ledger, application, named.toLowerCase()) : undefined;
    if (!found) throw notFound(`There is no webhook subscription ${named}`);
    return found;
  };

  api.openapi(createRoute({ ...list, middleware: guards.server }), async (context) => {
    const { id } = await requireOwn(context.var.caller.application, context.req.valid('param').subscription);
    const query = context.req.valid('query');
    const filter = { subscription: id, states: query.state, types: query.type };
    const { rows, total } = await listDeliveries(ledger, filter, pageRequest(query, 'created'));
    return context.json({ deliveries: rows.map(deliveryBody), total }, 200);
  });

  api.openapi(createRoute({ ...replay, middleware: guards.server }), async (context) => {
    const { subscription: named, delivery: wanted } = context.req.valid('param');
    const { id, state } = await requireOwn(context.var.caller.application, named);
    const { rows } = isUuid(wanted) ? await listDeliveries(ledger, { subscription: id, id: wanted }, { limit: 1 }) : { rows: [] };
    const [found] = rows;
    if (!found) throw notFound(`There is no delivery ${wanted} to this subscription`);
    if (state !== 'active') throw inactive(id);
    // One that is under way is left alone: it goes already.
    await replayDeliveries(ledger, { ids: [found.id] }, 1);
    return context.json(acceptedBody, 202);
  });
};

function deliveryBody({ id, event, type, subject, state, attempts, history, ...times }: DeliveryView): z.output<typeof delivery> {
  const meta = {
    createdAt: times.createdAt.toISOString(),
    ...(times.endedAt !== null && { endedAt: times.endedAt.toISOString() }),
    ...(times.nextAttemptAt !== null && { nextAttemptAt: times.nextAttemptAt.toISOString() }),
  };
  return { id, event, type: type as z.output<typeof delivery>['type'], subject, state, attempts, history, meta };
}

function inactive(id: string): StopError {
  return new StopError({
    code: 'subscription_inactive',
    message: `The webhook subscription ${id} is inactive: activate it, then replay`,
  });
}
