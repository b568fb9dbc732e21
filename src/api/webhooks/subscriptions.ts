import { createRoute, z } from '@hono/zod-openapi';
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  findSubscription,
  listSubscriptions,
  requireFreeSubscription,
  type Subscription,
} from '../../ledger/webhooks/subscriptions.ts';
import type { AddRoutes } from '../api.ts';
import { notFound } from '../http/errors.ts';
import { bearerAccess, errorResponses, json, jsonBody } from '../http/responses.ts';
import { isUuid } from '../../platform/uuid.ts';
import { createValidateUrl } from './validation.ts';
import { defaultTypes, eventTypesIn, subscriptionBody, webhookSecret, webhookUrl } from './subscription-schema.ts';

const access = bearerAccess('Webhooks');

/** What is no UUID names no subscription. */
const params = z.object({ subscription: z.string().openapi({ format: 'uuid' }) });

/** `/webhooks` (docs/api.md, Subscriptions). */
export const addWebhooks: AddRoutes = (api, { settings, ledger, deliver }, guards) => {
  const validateUrl = createValidateUrl(deliver);
  const url = webhookUrl(settings.environment);
  const middleware = guards.server;

  const list = createRoute({
    method: 'get',
    path: '/webhooks',
    ...access,
    summary: 'The subscriptions of the application, the oldest first',
    middleware,
    responses: {
      200: json(z.object({ subscriptions: z.array(subscriptionBody), total: z.int() }), 'The subscriptions'),
      ...errorResponses(401, 403, 406),
    },
  });
  api.openapi(list, async (context) => {
    const subscriptions = await listSubscriptions(ledger, context.var.caller.application);
    return context.json({ subscriptions, total: subscriptions.length }, 200);
  });

  const created = z.object({ url, secret: webhookSecret, types: eventTypesIn.optional() }).openapi('NewWebhookSubscription');
  const post = createRoute({
    method: 'post',
    path: '/webhooks',
    ...access,
    summary: 'Subscribe a URL to events, once it accepts a delivery of subscription.created',
    middleware,
    request: { body: jsonBody(created, 'Where to, signed by what, and which events') },
    responses: { 201: json(subscriptionBody, 'Subscribed'), ...errorResponses(400, 401, 403, 406, 413) },
  });
  api.openapi(post, async (context) => {
    const { application } = context.var.caller;
    const { types = defaultTypes, ...given } = context.req.valid('json');
    const { claim } = context.var;
    // An earlier run of the same request may have been broken off behind its end.
    const made = claim?.isRepeated ? await findSubscription(ledger, application, claim.makes) : undefined;
    if (made) return context.json(shown(made), 201);
    await requireFreeSubscription(ledger, application);
    await validateUrl(application, given.url, [given.secret]);
    return context.json(await createSubscription(ledger, application, { ...given, id: claim?.makes, types }), 201);
  });

  const changed = z
    .object({ state: z.enum(['active', 'inactive']), types: eventTypesIn, url, secret: webhookSecret })
    .partial()
    .openapi('WebhookSubscriptionChanges');
  const patch = createRoute({
    method: 'patch',
    path: '/webhooks/{subscription}',
    ...access,
    summary: 'Change a subscription; a new URL must accept a delivery of subscription.created first',
    middleware,
    request: { params, body: jsonBody(changed, 'What changes') },
    responses: { 200: json(subscriptionBody, 'Changed'), ...errorResponses(400, 401, 403, 404, 406, 413) },
  });
  api.openapi(patch, async (context) => {
    const { application } = context.var.caller;
    const { subscription: named } = context.req.valid('param');
    const id = uuidOrRefuse(named);
    const changes = context.req.valid('json');
    const before = orRefuse(await findSubscription(ledger, application, id), named);
    if (changes.url !== undefined && changes.url !== before.url)
      await validateUrl(application, changes.url, signing(before.secrets, changes.secret));
    return context.json(orRefuse(await changeSubscription(ledger, application, id, changes), named), 200);
  });

  const remove = createRoute({
    method: 'delete',
    path: '/webhooks/{subscription}',
    ...access,
    summary: 'End a subscription, and what was still to be delivered to it',
    middleware,
    request: { params },
    responses: { 200: json(z.object({}), 'Ended'), ...errorResponses(401, 403, 404, 406) },
  });
  api.openapi(remove, async (context) => {
    const { subscription: named } = context.req.valid('param');
    const isEnded = await deleteSubscription(ledger, context.var.caller.application, uuidOrRefuse(named));
    if (!isEnded) throw unknownSubscription(named);
    return context.json({}, 200);
  });
};

/** What is answered of a subscription: never a secret. */
function shown({ id, url, types, state }: Subscription): Subscription {
  return { id, url, types, state };
}

/** The secrets that sign after a change: a new one, and the one that it replaces. */
function signing(secrets: string[], secret: string | undefined): string[] {
  if (secret === undefined || secret === secrets[0]) return secrets;
  return [secret, ...secrets.slice(0, 1)];
}

function uuidOrRefuse(named: string): string {
  if (!isUuid(named)) throw unknownSubscription(named);
  return named.toLowerCase();
}

function orRefuse<Found extends Subscription>(found: Found | undefined, named: string): Found {
  if (!found) throw unknownSubscription(named);
  return found;
}

function unknownSubscription(named: string) {
  return notFound(`There is no webhook subscription ${named}`);
}
