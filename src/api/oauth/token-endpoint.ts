import { createRoute, z } from '@hono/zod-openapi';
import { type RefreshError, type TokenPair, issueTokens, refreshTokens } from '../../ledger/access/access-tokens.ts';
import { accessTokenSeconds } from '../../ledger/access/grants.ts';
import { findAuthorizationClient } from '../../ledger/access/applications/clients.ts';
import { type CodeError, redeemCode } from '../../ledger/access/authorization-codes.ts';
import { authenticateApplication } from '../../ledger/access/applications/authenticate-application.ts';
import { inTransaction, type Ledger } from '../../ledger/ledger.ts';
import type { AddRoutes } from '../api.ts';
import { clientAuthentication, clientFields, inHeader, readClientParameters, secretField } from './client-parameters.ts';
import { type GrantFailure, answerFailure, failedAuthentication, invalidParameters, missingAuthentication } from './grant-failure.ts';
import { failedByHeader, oauthErrorResponse } from './oauth-error.ts';
import { json, errorResponses } from '../http/responses.ts';
import * as output from '../../wire/output-fields.ts';
import { fieldMessages } from '../http/errors.ts';

const clientCredentials = z.object({
  grant_type: z.literal('client_credentials').openapi({ description: 'A server authenticates as itself.' }),
  ...clientFields,
});

const refresh = z.object({
  grant_type: z.literal('refresh_token').openapi({ description: 'The tokens are renewed.' }),
  ...clientFields,
  refresh_token: secretField.openapi({
    description: 'The refresh token that was issued last. It is void once used; a second use revokes every token of its grant.',
  }),
});

const authorizationCode = z.object({
  grant_type: z.literal('authorization_code').openapi({ description: 'A user has authorized the application.' }),
  ...clientFields,
  code: secretField.openapi({ description: 'The code from the redirect, valid once and for 60 seconds.' }),
  code_verifier: secretField.openapi({ description: 'The text whose SHA-256 was the code challenge (RFC 7636, section 4.1).' }),
  redirect_uri: z.string().openapi({ description: 'The redirect URI for which the code was issued.' }),
});

const grantSchema = z.discriminatedUnion('grant_type', [clientCredentials, refresh, authorizationCode]);

const documented = z
  .discriminatedUnion('grant_type', [
    clientCredentials.partial(inHeader).openapi('ClientCredentialsGrant', { description: 'The credentials of a server.' }),
    refresh.partial(inHeader).openapi('RefreshTokenGrant', { description: 'The refresh token that was issued last.' }),
    authorizationCode.partial(inHeader).openapi('AuthorizationCodeGrant', { description: 'The code that a user brought back.' }),
  ])
  .openapi('Grant', { description: 'What is exchanged for tokens, by `grant_type` (RFC 6749).' });

type Grant = z.infer<typeof grantSchema>;

const accessTokenSchema = z
  .object({
    access_token: z.string().openapi({ description: 'The token that requests carry as `Authorization: Bearer`. It is opaque.' }),
    expires_in: z.int().openapi({ description: 'Seconds for which the access token is valid.' }),
    refresh_token: z.string().openapi({ description: 'The token by which the next tokens are requested, once and within 30 days.' }),
    token_type: z.literal('Bearer').openapi({ description: 'How the access token is used (RFC 6750).' }),
    scope: z.string().openapi({ description: 'What the application may do, `read` or `read write`, whatever it asked for.' }),
    profile: output.uuid.optional().openapi({ description: 'Id of the default profile, if there is one.' }),
    userId: output.uuid.openapi({ description: 'Id of the user for whom the application acts; for a server, of its owner.' }),
  })
  .openapi('AccessToken', { description: 'An access token and the refresh token for the next.' });

const unauthorized: GrantFailure = {
  error: 'unauthorized_client',
  message: 'The client is not authorized to request a token using this method.',
};

const refreshMessages: Record<Exclude<RefreshError, 'unauthenticated'>, string> = {
  unknown: 'The refresh token is not known or was revoked.',
  expired: 'The refresh token has expired.',
  other_client: 'Client id must be the same from previous token.',
  reused: 'The refresh token was used before: every token that came from it is revoked.',
};

const codeMessages: Record<CodeError, string> = {
  unknown: 'The code is not known, or was not issued to this client.',
  used: 'The code was used before: every token that came from it is revoked.',
  expired: 'The code has expired.',
  redirect_uri: 'The redirect URI is not the one for which the code was issued.',
  code_verifier: 'The code verifier does not match the code challenge.',
};

const route = createRoute({
  method: 'post',
  path: '/auth/token',
  tags: ['Authentication'],
  operationId: 'createToken',
  summary: 'Exchange a grant for an access token',
  description:
    'A server sends its `client_id` and `client_secret` (`client_credentials`), in the form or by HTTP Basic. An application with users sends the code that they brought (`authorization_code`), ' +
    'and later the last refresh token (`refresh_token`). The parameters are a form; each may stand in it once, and an empty one counts as left out. No bearer token is needed.',
  request: { body: { required: true, content: { 'application/x-www-form-urlencoded': { schema: documented } } } },
  ...clientAuthentication,
  responses: {
    ...errorResponses(406, 413, 415),
    200: json(accessTokenSchema, 'The tokens.'),
    400: oauthErrorResponse(
      'The grant is not valid.',
      'invalid_request',
      'invalid_client',
      'invalid_grant',
      'unauthorized_client',
      'unsupported_grant_type',
      'application_not_active',
    ),
    401: failedByHeader,
  },
});

/** `POST /auth/token` (docs/api.md, Token endpoint). */
export const addTokenEndpoint: AddRoutes = (api, { ledger }, guards) => {
  // Not through `openapi()`: errors have their own body here, and a repeated parameter is an error (RFC 6749, section 3.2).
  api.openAPIRegistry.registerPath(route);
  api.on('POST', [route.path], ...guards.anyone);
  api.post(route.path, async (context) => {
    // Beside no-store, for the caches of HTTP/1.0 (RFC 6749, section 5.1).
    context.header('Pragma', 'no-cache');
    const read = await readClientParameters(context);
    const grant = 'error' in read ? read : readGrant(read.parameters);
    const outcome = 'error' in grant ? grant : await exchange(ledger, grant);
    if ('error' in outcome) return answerFailure(context, outcome);
    return context.json({
      access_token: outcome.accessToken,
      expires_in: accessTokenSeconds,
      refresh_token: outcome.refreshToken,
      token_type: 'Bearer',
      scope: outcome.permissions.join(' '),
      ...(outcome.defaultProfile === null ? {} : { profile: outcome.defaultProfile }),
      userId: outcome.user,
    } satisfies z.infer<typeof accessTokenSchema>);
  });
};

function readGrant(parameters: Record<string, string>): Grant | GrantFailure {
  const parsed = grantSchema.safeParse(parameters);
  if (parsed.success) return parsed.data;
  const errors = fieldMessages(parsed.error.issues);
  const unsupported = parameters['grant_type'] !== undefined && errors['grant_type'] !== undefined;
  return { ...invalidParameters(errors), ...(unsupported ? { error: 'unsupported_grant_type' as const } : {}) };
}

async function exchange(ledger: Ledger, grant: Grant): Promise<TokenPair | GrantFailure> {
  if (grant.grant_type === 'client_credentials') return exchangeCredentials(ledger, grant);
  if (grant.client_secret !== undefined && !(await authenticateApplication(ledger, grant.client_id, grant.client_secret)))
    return failedAuthentication;
  if (grant.grant_type === 'authorization_code') return exchangeCode(ledger, grant);
  const isAuthenticated = grant.client_secret !== undefined;
  const outcome = await refreshTokens(ledger, { application: grant.client_id, isAuthenticated, refreshToken: grant.refresh_token });
  return outcome === 'unauthenticated' ? missingAuthentication : tokensOr(refreshMessages, outcome);
}

/** In one transaction, so that a new secret of the application ends these tokens too. */
async function exchangeCredentials(
  ledger: Ledger,
  { client_id: id, client_secret: secret }: Extract<Grant, { grant_type: 'client_credentials' }>,
): Promise<TokenPair | GrantFailure> {
  if (secret === undefined) return missingAuthentication;
  return inTransaction(ledger, async (tx) => {
    const application = await authenticateApplication(tx, id, secret);
    if (!application) return failedAuthentication;
    return application.kind === 'authorization_code' ? unauthorized : issueTokens(tx, application);
  });
}

/** Neither whitelabel nor private applications have users who sign in (docs/api.md, Applications). */
async function exchangeCode(
  ledger: Ledger,
  grant: Extract<Grant, { grant_type: 'authorization_code' }>,
): Promise<TokenPair | GrantFailure> {
  const { client_id: application, code, code_verifier: codeVerifier, redirect_uri: redirectUri } = grant;
  const client = await findAuthorizationClient(ledger, application);
  if (!client) return unauthorized;
  if (client.isConfidential && grant.client_secret === undefined) return missingAuthentication;
  return tokensOr(codeMessages, await redeemCode(ledger, { application, code, codeVerifier, redirectUri }));
}

function tokensOr<Reason extends string>(messages: Record<Reason, string>, outcome: TokenPair | Reason): TokenPair | GrantFailure {
  return typeof outcome === 'string' ? { error: 'invalid_grant', message: messages[outcome] } : outcome;
}
