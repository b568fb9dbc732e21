import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { MintrailError, RetryError, type StopError } from '../platform/errors.ts';
import { addAddresses } from './customers/addresses.ts';
import type { Api, ApiDependencies, ApiEnv, Guards, AddRoutes } from './api.ts';
import { addBalances } from './orders/balances.ts';
import { addCountries } from './customers/countries.ts';
import { addDocs } from './docs/docs.ts';
import { errorResponse, respond } from './http/error-response.ts';
import { addFiles } from './customers/files.ts';
import { createListAnswer } from './http/list-answer.ts';
import { addHealth } from './service/health.ts';
import { addHosted, showError } from './hosted/hosted.ts';
import { addIbans } from './customers/ibans.ts';
import { documentIdempotency } from './middlewares/idempotency-document.ts';
import { accept } from './middlewares/accept.ts';
import { audit } from './middlewares/audit.ts';
import { createBearer, createIdentify } from './middlewares/bearer.ts';
import { bodyLimit } from './middlewares/body-limit.ts';
import { codings, jsonContentType, utf8 } from './middlewares/request-encoding.ts';
import { correlation } from './middlewares/correlation.ts';
import { createCrossOrigin } from './middlewares/cross-origin.ts';
import { createIdempotency } from './middlewares/idempotency.ts';
import { partnersOnly, serversOnly, writePermission } from './middlewares/caller-guards.ts';
import { createProxyCheck } from './middlewares/proxies.ts';
import { createIdentifyBrowser, isHostedPath } from './hosted/browser-user.ts';
import { createRateLimits } from './middlewares/rate-limit.ts';
import { createRequestRecord } from './middlewares/request-record.ts';
import { noStore, securityHeaders } from './middlewares/security-headers.ts';
import { singleHost } from './middlewares/single-host.ts';
import { addAuthorization } from './oauth/authorize.ts';
import { addOrderEvents } from './orders/order-events.ts';
import { addOrderStream } from './orders/order-stream.ts';
import { addOrders } from './orders/orders.ts';
import { addOrderPlacement } from './orders/place-order.ts';
import { addProfileShare } from './customers/profile-share.ts';
import { addProfileSubmissions } from './customers/profile-submissions.ts';
import { addProfiles } from './customers/profiles.ts';
import { invalid, notFound, fieldMessages } from './http/errors.ts';
import { addSandboxCredits } from './sandbox/credits.ts';
import { addSandboxMail } from './sandbox/mail.ts';
import { addSandboxPayouts } from './sandbox/payouts.ts';
import { addSandboxProfiles } from './sandbox/profiles.ts';
import { addSignatures } from './orders/signatures.ts';
import { addStart } from './service/welcome.ts';
import { addSwap } from './swap/swap.ts';
import { addRevocationEndpoint } from './oauth/revocation-endpoint.ts';
import { addTokenEndpoint } from './oauth/token-endpoint.ts';
import { addTokens } from './service/tokens.ts';
import { addUserContext } from './oauth/user-context.ts';
import { addWebhookDeliveries } from './webhooks/deliveries.ts';
import { addWebhooks } from './webhooks/subscriptions.ts';

/** The endpoints, in the order of docs/api.md. */
const resources: AddRoutes[] = [
  addStart,
  addAuthorization,
  addHosted,
  addTokenEndpoint,
  addRevocationEndpoint,
  addUserContext,
  addWebhooks,
  addWebhookDeliveries,
  addCountries,
  addProfiles,
  addProfileShare,
  addProfileSubmissions,
  addAddresses,
  addBalances,
  addIbans,
  // Before the orders by id, because `stream` is not an id.
  addOrderStream,
  addOrders,
  addOrderEvents,
  addOrderPlacement,
  addSignatures,
  addFiles,
  addTokens,
  addSwap,
  addSandboxCredits,
  addSandboxPayouts,
  addSandboxProfiles,
  addSandboxMail,
];

/** The HTTP API without a socket: tests call `app.request(...)`. */
export function createApp(deps: ApiDependencies): Api {
  const api: Api = new OpenAPIHono<ApiEnv>({
    defaultHook: (result) => {
      if (!result.success) throw invalid(fieldMessages(result.error.issues));
    },
  });
  const identify = createIdentify(deps);
  const limits = createRateLimits(deps, identify, createIdentifyBrowser(deps));
  api.use('*', correlation, createRequestRecord(deps), securityHeaders, noStore, singleHost);
  api.use('*', limits.options, methodNotAllowed({ app: api, onMethodNotAllowed }), createCrossOrigin(deps));
  api.use('*', createProxyCheck(deps), limits.address, codings, bodyLimit, jsonContentType);
  answerErrors(api, deps);
  const bearer = createBearer(identify);
  const idempotency = createIdempotency(deps);
  const guards: Guards = {
    anyone: [accept],
    caller: [accept, bearer, limits.application, writePermission, audit, utf8, idempotency],
    stream: [accept, bearer, limits.application, writePermission],
    partner: [accept, bearer, limits.application, partnersOnly, writePermission, audit, utf8, idempotency],
    server: [accept, bearer, limits.application, serversOnly, writePermission, audit, utf8, idempotency],
  };
  const routeDeps = { ...deps, answerList: createListAnswer(deps) };
  for (const addRoutes of resources) addRoutes(api, routeDeps, guards);
  documentIdempotency(api);
  addHealth(api, deps);
  addDocs(api, deps);
  return api;
}

function answerErrors(api: Api, { log, settings }: ApiDependencies): void {
  api.onError((error, context) => {
    const { path } = context.req;
    if (isHostedPath(path)) return showError(context, { log, settings }, path.startsWith('/account') ? 'account' : 'authorize', error);
    const { status, body, headers } = errorResponse(isBrokenOff(context) ? brokenOff() : error);
    const { correlationId } = context.var;
    // Its cause is in status, and it is the answer to each redemption while it lasts.
    if (error instanceof RetryError && error.code === 'payouts_unavailable')
      log.warn({ correlationId, path: context.req.path, code: error.code }, 'request answered with an outage');
    // A method or coding of nobody's is the caller's own.
    else if (status >= 500 && status !== 501) log.error({ correlationId, path: context.req.path, err: error }, 'request failed');
    else if (error instanceof MintrailError)
      log.debug({ correlationId, code: error.code, fields: error.fields }, 'request answered with an error');
    return context.json(body, status, headers);
  });
  api.notFound((context) => {
    const { status, body } = errorResponse(notFound(`There is no ${context.req.method} ${context.req.path}`));
    return context.json(body, status);
  });
}

/** RFC 9110, sections 9.3.7 and 15.5.6. */
function onMethodNotAllowed(context: Context, methods: string[]): Response {
  if (context.req.method === 'OPTIONS') return context.body(null, 204, { Allow: [...methods, 'OPTIONS'].join(', ') });
  const { status, body } = respond('method_not_allowed', `${context.req.path} has no ${context.req.method}`);
  return context.json(body, status, { Allow: methods.join(', ') });
}

/** Whether the client broke the request off before all of its body had come: what failed then is the client's doing. */
function isBrokenOff({ env }: Context<ApiEnv>): boolean {
  // Without a socket there is no environment, as in tests.
  const { incoming } = (env ?? {}) as Partial<ApiEnv['Bindings']>;
  return incoming !== undefined && incoming.destroyed && !incoming.complete;
}

/** Nobody reads this answer; its status is that of the log and the metrics. */
function brokenOff(): StopError {
  return invalid({ body: 'was broken off' });
}
