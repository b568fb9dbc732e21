import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { type RefreshError, type TokenPair, accessTokenSeconds, issueTokens, refreshTokens } from '../../ledger/access/access-tokens.ts';
import { findAuthorizationClient } from '../../ledger/access/authorization-clients.ts';
import { type CodeError, redeemCode } from '../../ledger/access/authorization-codes.ts';
import { authenticateApplication } from '../../ledger/access/applications.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ApiEnv, AddRoutes } from '../api.ts';
import { MintrailError } from '../../platform/errors.ts';
import { respond } from '../http/error-response.ts';
import { readFormBody } from '../http/form.ts';
import { joinMessages } from './authorization-request.ts';
import { errorDescription } from './client-redirect.ts';
import { oauthErrorResponse } from './oauth-error.ts';
import { json, errorResponses } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';
import * as output from '../../wire/output-fields.ts';
import { fieldMessages } from '../http/errors.ts';

/** A code, a token or a secret: none of ours is longer than 512 characters. */
const secret = input.text(512).min(1, 'must not be empty');

const grantSchema = z
  .discriminatedUnion('grant_type', [
    z.object({ grant_type: z.literal('client_credentials'), client_id: input.uuid, client_secret: secret }),
    z.object({ grant_type: z.literal('refresh_token'), client_id: input.uuid, refresh_token: secret, client_secret: secret.optional() }),
    z.object({
      grant_type: z.literal('authorization_code'),
      client_id: input.uuid,
      code: secret,
      code_verifier: secret.openapi({ description: 'RFC 7636, section 4.1' }),
      redirect_uri: z.string(),
      client_secret: secret.optional(),
    }),
  ])
  .openapi('Grant');

type Grant = z.infer<typeof grantSchema>;

const accessTokenSchema = z
  .object({
    access_token: z.string(),
    expires_in: z.int().openapi({ description: 'seconds' }),
    refresh_token: z.string(),
    token_type: z.literal('Bearer'),
    profile: output.uuid.optional().openapi({ description: 'the default profile' }),
    userId: output.uuid,
  })
  .openapi('AccessToken');

/** An error of RFC 6749, section 5.2. */
interface GrantFailure {
  error: 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unauthorized_client' | 'unsupported_grant_type';
  message: string;
  errors?: Record<string, string>;
}

const unauthorized: GrantFailure = {
  error: 'unauthorized_client',
  message: 'The client is not authorized to request a token using this method.',
};

const refreshMessages: Record<RefreshError, string> = {
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
  summary: 'Exchange a grant for an access token',
  request: { body: { required: true, content: { 'application/x-www-form-urlencoded': { schema: grantSchema } } } },
  responses: {
    ...errorResponses(406, 413),
    200: json(accessTokenSchema, 'The tokens'),
    400: oauthErrorResponse('The grant is not valid'),
  },
});

/** `POST /auth/token` (docs/api.md, Token endpoint). */
export const addTokenEndpoint: AddRoutes = (api, { ledger }, guards) => {
  // Not through `openapi()`: errors have their own body here, and a repeated parameter is an error (RFC 6749, section 3.2).
  api.openAPIRegistry.registerPath(route);
  api.use(route.path, ...guards.anyone);
  api.post(route.path, async (context) => {
    const grant = readGrant(await readForm(context));
    const outcome = 'error' in grant ? grant : await exchange(ledger, grant);
    if ('error' in outcome) {
      const { status, body } = respond(outcome.error, outcome.message, outcome.errors);
      return context.json({ ...body, error: outcome.error, error_description: describe(outcome) }, status);
    }
    return context.json({
      access_token: outcome.accessToken,
      expires_in: accessTokenSeconds,
      refresh_token: outcome.refreshToken,
      token_type: 'Bearer',
      ...(outcome.defaultProfile === null ? {} : { profile: outcome.defaultProfile }),
      userId: outcome.user,
    } satisfies z.infer<typeof accessTokenSchema>);
  });
};

/** The form, or why it cannot be read, in the shape of this endpoint's errors. */
async function readForm(context: Context<ApiEnv>): Promise<URLSearchParams | GrantFailure> {
  try {
    return await readFormBody(context);
  } catch (error) {
    if (!(error instanceof MintrailError) || error.fields === undefined) throw error;
    return invalidRequest(error.fields);
  }
}

function readGrant(parameters: URLSearchParams | GrantFailure): Grant | GrantFailure {
  if ('error' in parameters) return parameters;
  const form: Record<string, string> = {};
  for (const [name, value] of parameters) {
    if (Object.hasOwn(form, name)) return invalidRequest({ [name]: 'must not be repeated' });
    form[name] = value;
  }
  const parsed = grantSchema.safeParse(form);
  if (parsed.success) return parsed.data;
  const errors = fieldMessages(parsed.error.issues);
  const unsupported = form['grant_type'] !== undefined && errors['grant_type'] !== undefined;
  return { ...invalidRequest(errors), ...(unsupported ? { error: 'unsupported_grant_type' as const } : {}) };
}

async function exchange(ledger: Ledger, grant: Grant): Promise<TokenPair | GrantFailure> {
  if (grant.client_secret !== undefined) {
    const application = await authenticateApplication(ledger, grant.client_id, grant.client_secret);
    if (!application) return { error: 'invalid_client', message: 'Client authentication failed.' };
    if (grant.grant_type === 'client_credentials')
      return application.kind === 'authorization_code' ? unauthorized : issueTokens(ledger, application);
  }
  if (grant.grant_type === 'client_credentials') return unauthorized;
  return grant.grant_type === 'refresh_token'
    ? tokensOr(refreshMessages, await refreshTokens(ledger, grant.client_id, grant.refresh_token))
    : exchangeCode(ledger, grant);
}

/** Neither whitelabel nor private applications have users who sign in (docs/api.md, Applications). */
async function exchangeCode(
  ledger: Ledger,
  grant: Extract<Grant, { grant_type: 'authorization_code' }>,
): Promise<TokenPair | GrantFailure> {
  const { client_id: application, code, code_verifier: codeVerifier, redirect_uri: redirectUri } = grant;
  if (!(await findAuthorizationClient(ledger, application))) return unauthorized;
  return tokensOr(codeMessages, await redeemCode(ledger, { application, code, codeVerifier, redirectUri }));
}

function tokensOr<Reason extends string>(messages: Record<Reason, string>, outcome: TokenPair | Reason): TokenPair | GrantFailure {
  return typeof outcome === 'string' ? { error: 'invalid_grant', message: messages[outcome] } : outcome;
}

function invalidRequest(errors: Record<string, string>): GrantFailure {
  return { error: 'invalid_request', message: 'Validation errors', errors };
}

function describe({ message, errors }: GrantFailure): string {
  return errorDescription(errors ? joinMessages(errors) : message);
}
