import { createRoute, z } from '@hono/zod-openapi';
import { eventTypes } from '../../ledger/orders/events.ts';
import { deliveryStates, type DeliveryView, listDeliveries } from '../../ledger/webhooks/delivery-queries.ts';
import { replayDeliveries } from '../../ledger/webhooks/replay.ts';
import { findSubscription, type Subscription } from '../../ledger/webhooks/subscriptions.ts';
import { StopError } from '../../platform/errors.ts';
import type { AddRoutes } from '../api.ts';
import { query } from '../http/query.ts';
import { pageRequest, paging } from '../http/paging.ts';
import { notFound } from '../http/errors.ts';
import { acceptedBody, acceptedSchema, bearerAccess, errorResponses, json, listResponse } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';
import * as output from '../../wire/output-fields.ts';
import { isUuid } from '../../platform/uuid.ts';

const access = bearerAccess('Webhooks');

const subscriptionId = z.string().openapi({ format: 'uuid', description: 'Id of the subscription.' });

const attemptSchema = z.object({
  at: output.time.openapi({ description: 'When the attempt began (UTC).' }),
  status: z.int().optional().openapi({ description: 'HTTP status with which the receiver answered.' }),
  error: z.string().optional().openapi({ description: 'Why the attempt failed, for people.' }),
  duration: z.int().openapi({ description: 'How long the attempt took, in milliseconds.' }),
});

const deliverySchema = z
  .object({
    id: output.uuid.openapi({ description: 'Id of the delivery.' }),
    event: output.uuid.openapi({ description: 'Id of the event, sent as the header `webhook-id`.' }),
    type: z.enum(eventTypes).openapi({ description: 'The type of the event.' }),
    subject: output.uuid.openapi({ description: 'Id of the order, profile or IBAN that the event is about.' }),
    state: z.enum(deliveryStates).openapi({
      description:
        '`pending`: it is attempted, up to ten times within 12 hours. `delivered`: answered with 2xx. `failed`: given up. `cancelled`: the subscription or its application was deactivated.',
    }),
    attempts: z.int().openapi({ description: 'Attempts since it was created or replayed.' }),
    history: z.array(attemptSchema).openapi({ description: 'The latest attempts, oldest first.' }),
    meta: z
      .object({
        createdAt: output.time.openapi({ description: 'When the event was given to the subscription (UTC).' }),
        endedAt: output.time.optional().openapi({ description: 'When it was delivered, given up or cancelled (UTC).' }),
        nextAttemptAt: output.time.optional().openapi({ description: 'When it is attempted next (UTC).' }),
      })
      .openapi({ description: 'Its times.' }),
  })
  .openapi('WebhookDelivery', { description: 'An event for a subscription.' });

const list = {
  method: 'get',
  path: '/webhooks/{subscription}/deliveries',
  ...access,
  operationId: 'listWebhookDeliveries',
  summary: 'List the deliveries to a subscription',
  description: 'The deliveries to a subscription with their attempts, latest first.',
  request: {
    params: z.object({ subscription: subscriptionId }),
    query: query(
      z.object({
        state: input.repeatable(deliveryStates, 'Only deliveries in this state.'),
        type: input.repeatable(eventTypes, 'Only events of this type.'),
        ...paging(input.uuid.optional().openapi({ description: 'The `id` of the last delivery of the page before.' }), 'created'),
      }),
    ),
  },
  responses: {
    200: listResponse('deliveries', deliverySchema, 'The deliveries of this page.', 'A page of deliveries.'),
    ...errorResponses(401, 403, 404, 406, 'servers_only', 'unknown_cursor'),
  },
} as const;

const replay = {
  method: 'post',
  path: '/webhooks/{subscription}/deliveries/{delivery}/replay',
  ...access,
  operationId: 'replayWebhookDelivery',
  summary: 'Replay a delivery',
  description:
    'Sends a delivery again under the same `webhook-id`, with ten new attempts, and ends a pause for which the receiver has asked. One that is in flight is left alone.',
  request: {
    params: z.object({
      subscription: subscriptionId,
      delivery: z.string().openapi({ format: 'uuid', description: 'Id of the delivery.' }),
    }),
  },
  responses: {
    202: json(acceptedSchema, 'The delivery is sent again.'),
    ...errorResponses(401, 403, 404, 406, 409, 413, 415, 'servers_only', 'subscription_inactive'),
  },
} as const;

/** `/webhooks/{subscription}/deliveries`: lists and replays deliveries (docs/api.md, Deliveries). */
export const addWebhookDeliveries: AddRoutes = (api, { ledger, answerList }, guards) => {
  const requireOwn = async (application: string, id: string): Promise<Subscription> => {
    const own = isUuid(id) ? await findSubscription(ledger, application, id.toLowerCase()) : undefined;
    if (!own) throw notFound(`There is no webhook subscription ${id}`);
    return own;
  };

  api.openapi(createRoute({ ...list, middleware: guards.server }), async (context) => {
    const { id } = await requireOwn(context.var.caller.application, context.req.valid('param').subscription);
    const query = context.req.valid('query');
    const filter = { subscription: id, states: query.state, types: query.type };
    const page = await listDeliveries(ledger, filter, pageRequest(query, 'created'));
    return answerList(context, 'deliveries', page, deliveryBody);
  });

  api.openapi(createRoute({ ...replay, middleware: guards.server }), async (context) => {
    const { subscription, delivery: deliveryId } = context.req.valid('param');
    const { id, state } = await requireOwn(context.var.caller.application, subscription);
    const { rows } = isUuid(deliveryId) ? await listDeliveries(ledger, { subscription: id, id: deliveryId }, { limit: 1 }) : { rows: [] };
    const [delivery] = rows;
    if (!delivery) throw notFound(`There is no delivery ${deliveryId} to this subscription`);
    if (state !== 'active') throw inactive(id);
    // A delivery that is in flight is left alone.
    await replayDeliveries(ledger, { ids: [delivery.id] }, 1);
    return context.json(acceptedBody, 202);
  });
};

function deliveryBody({ id, event, type, subject, state, attempts, history, ...times }: DeliveryView): z.output<typeof deliverySchema> {
  const meta = {
    createdAt: times.createdAt.toISOString(),
    ...(times.endedAt !== null && { endedAt: times.endedAt.toISOString() }),
    ...(times.nextAttemptAt !== null && { nextAttemptAt: times.nextAttemptAt.toISOString() }),
  };
  return { id, event, type: type as z.output<typeof deliverySchema>['type'], subject, state, attempts, history, meta };
}

function inactive(id: string): StopError {
  return new StopError({
    code: 'subscription_inactive',
    message: `The webhook subscription ${id} is inactive: activate it, then replay`,
  });
}
