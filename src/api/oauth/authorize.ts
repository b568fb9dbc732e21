import { createRoute } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { MintrailError } from '../../platform/errors.ts';
import { baseUrl } from '../../platform/settings.ts';
import type { ApiDependencies, ApiEnv, AddRoutes } from '../api.ts';
import { errorResponse, respond } from '../http/error-response.ts';
import { clientNetwork } from '../middlewares/client-network.ts';
import { readFormBody, readQuery } from '../http/form.ts';
import { errorResponses, openAccess } from '../http/responses.ts';
import { type AuthorizationRequest, joinMessages, parameters, readAuthorizationRequest, requestQuery } from './authorization-request.ts';
import { type AuthorizationAnswer, clientRedirect, errorDescription } from './client-redirect.ts';
import { addMetadata } from './metadata.ts';
import { oauthErrorResponse } from './oauth-error.ts';
import { answerSiwe } from './siwe.ts';

const description =
  'The browser of a user comes here. They sign in on the pages of this service and consent; then they are sent back to the redirect URI of the client with a ' +
  '`code`, which is valid once and for 60 seconds. Client and redirect URI must be known; every other failure goes to the redirect URI with `error`: ' +
  '`access_denied`, `invalid_request`, `unauthorized_client`, `unsupported_response_type`, `server_error` or `temporarily_unavailable`. ' +
  'With `authentication_method=siwe`, the user of a linked address gets a code at once.';

const location = { headers: { Location: { description: 'Where the browser goes.', schema: { type: 'string' as const, format: 'uri' } } } };
const sharedDescription = {
  path: '/auth',
  ...openAccess('Authentication'),
  responses: {
    ...errorResponses(413, 415),
    302: {
      description:
        'To the redirect URI, with `code`, or with `error` and `error_description`; always with `iss`, and with the `state` of the request.',
      ...location,
    },
    307: { description: 'To the pages on which the user signs in and consents.', ...location },
    400: oauthErrorResponse('The client or its redirect URI is unknown, so nobody is redirected.', 'invalid_request'),
  },
};

const get = createRoute({
  method: 'get',
  ...sharedDescription,
  operationId: 'authorize',
  summary: 'Ask a user for authorization',
  description,
  request: { query: parameters },
});
const post = createRoute({
  method: 'post',
  ...sharedDescription,
  operationId: 'authorizeByForm',
  summary: 'Ask a user for authorization, with the parameters in a form',
  description: `${description} A form has room for the message of a wallet sign-in.`,
  request: { body: { required: true, content: { 'application/x-www-form-urlencoded': { schema: parameters } } } },
});

/** `GET` and `POST /auth` (docs/api.md, Authorization endpoint; RFC 6749, section 4.1.1; RFC 7636). */
export const addAuthorization: AddRoutes = (api, deps, guards) => {
  addMetadata(api, deps, guards);
  // Not through `openapi()`: errors are answered by a redirect as soon as the redirect URI is known to be valid.
  api.openAPIRegistry.registerPath(get);
  api.openAPIRegistry.registerPath(post);
  api.get('/auth', (context) => authorize(context, deps, async () => readQuery(context.req.url)));
  api.post('/auth', (context) => authorize(context, deps, () => readFormBody(context)));
};

/** Of errors after which the same request may succeed. */
const retryStatuses: ReadonlySet<number> = new Set([429, 503]);

type Read = () => Promise<URLSearchParams>;

async function authorize(context: Context<ApiEnv>, deps: ApiDependencies, read: Read): Promise<Response> {
  const issuer = baseUrl(deps.settings);
  try {
    const query = await read();
    const request = await readAuthorizationRequest(deps.ledger, query);
    if ('error' in request) return context.redirect(clientRedirect(request, issuer, request), 302);
    if (request.siwe === undefined) return context.redirect(`${issuer}/authorize/start?${requestQuery(request)}`, 307);
    return context.redirect(clientRedirect(request, issuer, await siweAnswer(context, deps, request)), 302);
  } catch (error) {
    if (!(error instanceof MintrailError) || error.fields === undefined) throw error;
    const { status, body } = respond('invalid_request', error.message, error.fields);
    return context.json({ ...body, error: 'invalid_request', error_description: errorDescription(joinMessages(error.fields)) }, status);
  }
}

/** The redirect URI is valid here, so outages, limits and internal errors are redirected too. */
async function siweAnswer(context: Context<ApiEnv>, deps: ApiDependencies, request: AuthorizationRequest): Promise<AuthorizationAnswer> {
  const { correlationId } = context.var;
  try {
    return await answerSiwe(deps, request, { correlationId, network: clientNetwork(context, deps.settings.trustedProxies) });
  } catch (error) {
    // The limit of an account is no business of whoever sends a message, so the description names neither.
    if (retryStatuses.has(errorResponse(error).status))
      return { error: 'temporarily_unavailable', description: 'The service cannot answer at the moment: try again later' };
    deps.log.error({ correlationId, path: context.req.path, err: error }, 'request failed');
    return { error: 'server_error', description: 'The service failed: try again later' };
  }
}
