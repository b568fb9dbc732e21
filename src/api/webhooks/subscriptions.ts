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
import { withValidToken } from '../../ledger/access/valid-token.ts';
import type { AddRoutes } from '../api.ts';
import { notFound } from '../http/errors.ts';
import { bearerAccess, emptySchema, errorResponses, json, jsonBody, listSchema } from '../http/responses.ts';
import { isUuid } from '../../platform/uuid.ts';
import { createValidateUrl, type ValidateUrl } from './validation.ts';
import {
  defaultTypes,
  eventTypesSchema,
  stateSchema,
  subscriptionBody,
  subscriptionSchema,
  webhookSecretSchema,
  webhookUrlSchema,
} from './subscription-schema.ts';

const access = bearerAccess('Webhooks');

/** Text that is not a UUID gets the same answer as an unknown subscription. */
const params = z.object({ subscription: z.string().openapi({ format: 'uuid', description: 'Id of the subscription.' }) });

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
    operationId: 'listWebhookSubscriptions',
    summary: 'List webhook subscriptions',
    description: 'The subscriptions of the application, oldest first. For whitelabel and private applications.',
    middleware: guards.server,
    responses: {
      200: json(listSchema('subscriptions', subscriptionSchema, 'The subscriptions.'), 'The subscriptions.'),
      ...errorResponses(401, 403, 406, 'servers_only'),
    },
  });
  api.openapi(list, async (context) => {
    const subscriptions = await listSubscriptions(ledger, context.var.caller.application);
    return context.json({ subscriptions: subscriptions.map(subscriptionBody), total: subscriptions.length }, 200);
  });
};

const addCreation =
  (validateUrl: ValidateUrl): AddRoutes =>
  (api, { settings, ledger, sealer }, guards) => {
    const url = webhookUrlSchema(settings.environment);
    const created = z
      .object({
        url,
        secret: webhookSecretSchema,
        types: eventTypesSchema
          .optional()
          .openapi({ description: 'The types of events to receive. Without it: `iban.updated` and `profile.updated`.' }),
      })
      .openapi('NewWebhookSubscription', { description: 'A URL, the secret that signs its deliveries, and the types of events.' });
    const post = createRoute({
      method: 'post',
      path: '/webhooks',
      ...access,
      operationId: 'createWebhookSubscription',
      summary: 'Subscribe a URL to events',
      description:
        'The URL gets a delivery of `subscription.created` before this is answered, and must accept it with 2xx within ten seconds; otherwise nothing is created, and `errors.url` says why. ' +
        'An application has at most 20 subscriptions, unless the operator sets another number. A private application gets order events only.',
      middleware: guards.server,
      request: { body: jsonBody(created, 'The URL, the secret that signs deliveries, and the types of events.') },
      responses: {
        201: json(subscriptionSchema, 'The subscription.'),
        ...errorResponses(401, 403, 406, 413, 415, 'servers_only', 'quota_exceeded'),
      },
    });
    api.openapi(post, async (context) => {
      const { caller, claim } = context.var;
      const { application } = caller;
      const { types = defaultTypes, ...target } = context.req.valid('json');
      // An interrupted run of the same request may have created it.
      const existing = claim?.isRepeated ? await findSubscription(ledger, application, claim.makes) : undefined;
      if (existing) return context.json(subscriptionBody(existing), 201);
      await requireFreeSubscription(ledger, application);
      await validateUrl(application, target.url, [target.secret]);
      const made = { ...target, id: claim?.makes, types };
      const subscription = await withValidToken(ledger, caller, (tx) => createSubscription(tx, sealer, application, made));
      return context.json(subscriptionBody(subscription), 201);
    });
  };

const addChange =
  (validateUrl: ValidateUrl): AddRoutes =>
  (api, { settings, ledger, sealer }, guards) => {
    const url = webhookUrlSchema(settings.environment);
    const changed = z
      .object({ state: stateSchema, types: eventTypesSchema, url, secret: webhookSecretSchema })
      .partial()
      .openapi('WebhookSubscriptionChanges', { description: 'What changes. What is left out stays.' });
    const patch = createRoute({
      method: 'patch',
      path: '/webhooks/{subscription}',
      ...access,
      operationId: 'changeWebhookSubscription',
      summary: 'Change a subscription',
      description:
        'A new URL must accept a delivery of `subscription.created` first, otherwise nothing changes and `errors.url` says why. A new secret signs at once, and the old one beside it for 24 ' +
        'hours. `inactive` cancels pending deliveries.',
      middleware: guards.server,
      request: { params, body: jsonBody(changed, 'The changes.') },
      responses: {
        200: json(subscriptionSchema, 'The subscription after the change.'),
        ...errorResponses(401, 403, 404, 406, 413, 415, 'servers_only'),
      },
    });
    api.openapi(patch, async (context) => {
      const { caller } = context.var;
      const { application } = caller;
      const { subscription: requestedId } = context.req.valid('param');
      const id = requireUuid(requestedId);
      const changes = context.req.valid('json');
      const before = requireSubscription(await findSubscription(ledger, application, id), requestedId);
      if (changes.url !== undefined && changes.url !== before.url)
        await validateUrl(application, changes.url, secretsAfterChange(await signingSecrets(ledger, sealer, id), changes.secret));
      const after = await withValidToken(ledger, caller, (tx) => changeSubscription(tx, sealer, application, id, changes));
      return context.json(subscriptionBody(requireSubscription(after, requestedId)), 200);
    });
  };

const addDeletion: AddRoutes = (api, { ledger }, guards) => {
  const remove = createRoute({
    method: 'delete',
    path: '/webhooks/{subscription}',
    ...access,
    operationId: 'deleteWebhookSubscription',
    summary: 'Delete a subscription',
    description: 'Its pending deliveries are cancelled.',
    middleware: guards.server,
    request: { params },
    responses: { 200: json(emptySchema, 'The subscription is gone.'), ...errorResponses(401, 403, 404, 406, 413, 415, 'servers_only') },
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
