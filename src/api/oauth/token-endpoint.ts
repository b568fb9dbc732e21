import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { type RefreshError, type TokenPair, accessTokenSeconds, issueTokens, refreshTokens } from '../../ledger/access/access-tokens.ts';
import { findAuthorizationClient } from '../../ledger/access/authorization-clients.ts';
import { type CodeError, redeemCode } from '../../ledger/access/authorization-codes.ts';
import { authenticateApplication } from '../../ledger/access/applications.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ApiEnv, AddRoutes } from '../api.ts';
import { respond } from '../http/error-response.ts';
import { joinTexts } from './authorization-request.ts';
import { errorDescription } from './client-redirect.ts';
import { oauthRefusal } from './oauth-error.ts';
import { json, errorResponses } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';
import * as output from '../../wire/output-fields.ts';
import { fieldMessages } from '../http/errors.ts';

/** Longer than any token of ours. */
const secret = input.text(512).min(1, 'must not be empty');

const grant = z
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

type Grant = z.infer<typeof grant>;

const accessToken = z
  .object({
    access_token: z.string(),
    expires_in: z.int().openapi({ description: 'seconds' }),
    refresh_token: z.string(),
    token_type: z.literal('Bearer'),
    profile: output.uuid.optional().openapi({ description: 'the default profile' }),
    userId: output.uuid,
  })
  .openapi('AccessToken');

/** A refusal with its name in RFC 6749, section 5.2. */
interface Refusal {
  error: 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unauthorized_client' | 'unsupported_grant_type';
  message: string;
  errors?: Record<string, string>;
}

const unauthorized: Refusal = {
  error: 'unauthorized_client',
  message: 'The client is not authorized to request a token using this method.',
};

const refreshRefusals: Record<RefreshError, string> = {
  unknown: 'The refresh token is not known or was revoked.',
  expired: 'The refresh token has expired.',
  other_client: 'Client id must be the same from previous token.',
  reused: 'The refresh token was used before: every token that came from it is revoked.',
};

const codeRefusals: Record<CodeError, string> = {
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
  summary: 'An access token for a grant',
  request: { body: { required: true, content: { 'application/x-www-form-urlencoded': { schema: grant } } } },
  responses: {
    ...errorResponses(406, 413),
    200: json(accessToken, 'The tokens'),
    400: oauthRefusal('The grant is refused'),
  },
});

/** `POST /auth/token` (docs/api.md, Token endpoint). */
export const addTokenEndpoint: AddRoutes = (api, { ledger }, guards) => {
  // Not through `openapi()`: a refusal here has a body of its own, and a parameter sent twice is one (RFC 6749, section 3.2).
  api.openAPIRegistry.registerPath(route);
  api.use(route.path, ...guards.anyone);
  api.post(route.path, async (context) => {
    const given = await readGrant(context);
    const outcome = 'error' in given ? given : await exchange(ledger, given);
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
    } satisfies z.infer<typeof accessToken>);
  });
};

async function readGrant(context: Context<ApiEnv>): Promise<Grant | Refusal> {
  const type = context.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    return invalidRequest({ body: 'must be sent with the header Content-Type: application/x-www-form-urlencoded' });
  const parameters = [...new URLSearchParams(await context.req.text())];
  const form: Record<string, string> = Object.fromEntries(parameters);
  const repeated = parameters.map(([name]) => name).find((name, index, names) => names.indexOf(name) !== index);
  if (repeated !== undefined) return invalidRequest({ [repeated]: 'must not be repeated' });
  const parsed = grant.safeParse(form);
  if (parsed.success) return parsed.data;
  const errors = fieldMessages(parsed.error.issues);
  const unsupported = form['grant_type'] !== undefined && errors['grant_type'] !== undefined;
  return { ...invalidRequest(errors), ...(unsupported ? { error: 'unsupported_grant_type' as const } : {}) };
}

async function exchange(ledger: Ledger, given: Grant): Promise<TokenPair | Refusal> {
  if (given.client_secret !== undefined) {
    const application = await authenticateApplication(ledger, given.client_id, given.client_secret);
    if (!application) return { error: 'invalid_client', message: 'Client authentication failed.' };
    if (given.grant_type === 'client_credentials')
      return application.kind === 'authorization_code' ? unauthorized : issueTokens(ledger, application);
  }
  if (given.grant_type === 'client_credentials') return unauthorized;
  return given.grant_type === 'refresh_token'
    ? tokensOr(refreshRefusals, await refreshTokens(ledger, given.client_id, given.refresh_token))
    : exchangeCode(ledger, given);
}

/** Neither whitelabel nor private applications have users who sign in (docs/api.md, Applications). */
async function exchangeCode(ledger: Ledger, given: Extract<Grant, { grant_type: 'authorization_code' }>): Promise<TokenPair | Refusal> {
  const { client_id: application, code, code_verifier: codeVerifier, redirect_uri: redirectUri } = given;
  if (!(await findAuthorizationClient(ledger, application))) return unauthorized;
  return tokensOr(codeRefusals, await redeemCode(ledger, { application, code, codeVerifier, redirectUri }));
}

function tokensOr<Reason extends string>(texts: Record<Reason, string>, outcome: TokenPair | Reason): TokenPair | Refusal {
  return typeof outcome === 'string' ? { error: 'invalid_grant', message: texts[outcome] } : outcome;
}

function invalidRequest(errors: Record<string, string>): Refusal {
  return { error: 'invalid_request', message: 'Validation errors', errors };
}

function describe({ message, errors }: Refusal): string {
  return errorDescription(errors ? joinTexts(errors) : message);
}
