import { createRoute, z } from '@hono/zod-openapi';
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  findSubscription,
  listSubscriptions,
  requireFreeSubscription,
  signingSecrets,
  type Subscription,
} from '../../ledger/webhooks/subscriptions.ts';
import type { AddRoutes } from '../api.ts';
import { notFound } from '../http/errors.ts';
import { bearerAccess, errorResponses, json, jsonBody, listSchema } from '../http/responses.ts';
import { isUuid } from '../../platform/uuid.ts';
import { createValidateUrl, type ValidateUrl } from './validation.ts';
import { defaultTypes, eventTypesSchema, subscriptionSchema, webhookSecretSchema, webhookUrlSchema } from './subscription-schema.ts';

const access = bearerAccess('Webhooks');

/** Text that is not a UUID gets the same answer as an unknown subscription. */
const params = z.object({ subscription: z.string().openapi({ format: 'uuid' }) });

/** `/webhooks` (docs/api.md, Subscriptions). */
export const addWebhooks: AddRoutes = (api, deps, guards) => {
  const validateUrl = createValidateUrl(deps.deliver);
  addList(api, deps, guards);
  addCreation(validateUrl)(api, deps, guards);
  addChange(validateUrl)(api, deps, guards);
  addDeletion(api, deps, guards);
};

const addList: AddRoutes = (api, { ledger }, guards) => {
  const list = createRoute({
    method: 'get',
    path: '/webhooks',
    ...access,
    summary: 'List the subscriptions of the application, oldest first',
    middleware: guards.server,
    responses: {
      200: json(listSchema('subscriptions', subscriptionSchema), 'The subscriptions'),
      ...errorResponses(401, 403, 406),
    },
  });
  api.openapi(list, async (context) => {
    const subscriptions = await listSubscriptions(ledger, context.var.caller.application);
    return context.json({ subscriptions, total: subscriptions.length }, 200);
  });
};

const addCreation =
  (validateUrl: ValidateUrl): AddRoutes =>
  (api, { settings, ledger, sealer }, guards) => {
    const url = webhookUrlSchema(settings.environment);
    const created = z.object({ url, secret: webhookSecretSchema, types: eventTypesSchema.optional() }).openapi('NewWebhookSubscription');
    const post = createRoute({
      method: 'post',
      path: '/webhooks',
      ...access,
      summary: 'Subscribe a URL to events; it must accept a delivery of subscription.created',
      middleware: guards.server,
      request: { body: jsonBody(created, 'The URL, the secret that signs deliveries, and the event types') },
      responses: { 201: json(subscriptionSchema, 'Subscribed'), ...errorResponses(400, 401, 403, 406, 413) },
    });
    api.openapi(post, async (context) => {
      const { application } = context.var.caller;
      const { types = defaultTypes, ...subscription } = context.req.valid('json');
      const { claim } = context.var;
      // An interrupted run of the same request may have created it.
      const existing = claim?.isRepeated ? await findSubscription(ledger, application, claim.makes) : undefined;
      if (existing) return context.json(existing, 201);
      await requireFreeSubscription(ledger, application);
      await validateUrl(application, subscription.url, [subscription.secret]);
      return context.json(await createSubscription(ledger, sealer, application, { ...subscription, id: claim?.makes, types }), 201);
    });
  };

const addChange =
  (validateUrl: ValidateUrl): AddRoutes =>
  (api, { settings, ledger, sealer }, guards) => {
    const url = webhookUrlSchema(settings.environment);
    const changed = z
      .object({ state: z.enum(['active', 'inactive']), types: eventTypesSchema, url, secret: webhookSecretSchema })
      .partial()
      .openapi('WebhookSubscriptionChanges');
    const patch = createRoute({
      method: 'patch',
      path: '/webhooks/{subscription}',
      ...access,
      summary: 'Change a subscription; a new URL must accept a delivery of subscription.created first',
      middleware: guards.server,
      request: { params, body: jsonBody(changed, 'The changes') },
      responses: { 200: json(subscriptionSchema, 'Changed'), ...errorResponses(400, 401, 403, 404, 406, 413) },
    });
    api.openapi(patch, async (context) => {
      const { application } = context.var.caller;
      const { subscription: requestedId } = context.req.valid('param');
      const id = requireUuid(requestedId);
      const changes = context.req.valid('json');
      const before = requireSubscription(await findSubscription(ledger, application, id), requestedId);
      if (changes.url !== undefined && changes.url !== before.url)
        await validateUrl(application, changes.url, secretsAfterChange(await signingSecrets(ledger, sealer, id), changes.secret));
      return context.json(requireSubscription(await changeSubscription(ledger, sealer, application, id, changes), requestedId), 200);
    });
  };

const addDeletion: AddRoutes = (api, { ledger }, guards) => {
  const remove = createRoute({
    method: 'delete',
    path: '/webhooks/{subscription}',
    ...access,
    summary: 'Delete a subscription and cancel its pending deliveries',
    middleware: guards.server,
    request: { params },
    responses: { 200: json(z.object({}), 'Deleted'), ...errorResponses(401, 403, 404, 406) },
  });
  api.openapi(remove, async (context) => {
    const { subscription: requestedId } = context.req.valid('param');
    const isDeleted = await deleteSubscription(ledger, context.var.caller.application, requireUuid(requestedId));
    if (!isDeleted) throw unknownSubscription(requestedId);
    return context.json({}, 200);
  });
};

/** The secrets that sign after a change: a new secret and the one that it replaces. */
function secretsAfterChange(secrets: string[], secret: string | undefined): string[] {
  if (secret === undefined || secret === secrets[0]) return secrets;
  return [secret, ...secrets.slice(0, 1)];
}

function requireUuid(text: string): string {
  if (!isUuid(text)) throw unknownSubscription(text);
  return text.toLowerCase();
}

function requireSubscription(subscription: Subscription | undefined, id: string): Subscription {
  if (!subscription) throw unknownSubscription(id);
  return subscription;
}

function unknownSubscription(id: string) {
  return notFound(`There is no webhook subscription ${id}`);
}
