import { z } from '@hono/zod-openapi';
import { type AuthorizationClient, findAuthorizationClient } from '../../ledger/access/authorization-clients.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { invalid, fieldMessages } from '../http/errors.ts';
import * as input from '../../wire/input-fields.ts';
import { isUuid } from '../../platform/uuid.ts';
import type { AuthorizationError, Return } from './client-redirect.ts';

/** Longer than any client's state: it travels through the query of every page. */
const maxState = 4_096;

const flag = z.enum(['true', 'false']).optional();

/** The parameters of `/auth` (docs/api.md, Authorization endpoint). Unknown ones are ignored. */
export const parameters = z
  .object({
    client_id: input.uuid,
    code_challenge: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/, 'must be the SHA-256 of the verifier in base64url: 43 characters')
      .openapi({ description: 'RFC 7636, S256' }),
    code_challenge_method: z.literal('S256', 'must be S256').optional(),
    redirect_uri: z.string().optional().openapi({ description: 'required when several are registered; exactly as registered' }),
    response_type: z.literal('code', 'must be code').optional(),
    state: z.string().max(maxState).optional().openapi({ description: 'returned unchanged' }),
    email: z.string().optional().openapi({ description: 'an address to fill in on the pages' }),
    skip_kyc: flag.openapi({ description: 'leaves the onboarding pages out, in the sandbox' }),
    auth_mode: z.enum(['login', 'signup']).optional().openapi({ description: 'the first page; the start page without it' }),
    authentication_method: z.literal('siwe', 'must be siwe').optional(),
    message: z.string().optional().openapi({ description: 'EIP-4361, with authentication_method=siwe' }),
    signature: z.string().optional(),
  })
  .openapi('AuthorizationRequest');

/** A request for authorization whose client and redirect URI are known: every further answer may go to that URI. */
export interface AuthorizationRequest extends Return {
  client: AuthorizationClient;
  codeChallenge: string;
  email: string | undefined;
  skipKyc: boolean;
  authMode: 'login' | 'signup' | undefined;
  siwe: { message: string | undefined; signature: string | undefined } | undefined;
}

/** A request that is refused by a redirect. */
export interface RedirectedRefusal extends Return {
  error: AuthorizationError;
  description: string;
}

/**
 * Reads the parameters of `/auth`. Throws 400 while client and redirect URI are not certain, because nobody is redirected to an
 * address that the operator did not register (RFC 9700, section 4.11); what is wrong after that is an answer for the client.
 */
export async function readAuthorizationRequest(ledger: Ledger, given: URLSearchParams): Promise<AuthorizationRequest | RedirectedRefusal> {
  for (const name of ['client_id', 'redirect_uri']) if (given.getAll(name).length > 1) throw invalid({ [name]: 'must not be repeated' });
  const client = await requireClient(ledger, given.get('client_id'));
  const redirectUri = requireRedirectUri(client, given.get('redirect_uri'));

  const state = given.get('state') ?? undefined;
  const back: Return = { redirectUri, state: state !== undefined && state.length <= maxState ? state : undefined };
  const refuse = (error: AuthorizationError, description: string): RedirectedRefusal => ({ ...back, error, description });

  const repeated = Object.keys(parameters.shape).find((name) => given.getAll(name).length > 1);
  if (repeated !== undefined) return refuse('invalid_request', `${repeated} must not be repeated`);
  const parsed = parameters.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    const texts = fieldMessages(parsed.error.issues);
    const error = Object.keys(texts).join() === 'response_type' ? 'unsupported_response_type' : 'invalid_request';
    return refuse(error, joinTexts(texts));
  }
  const { code_challenge, email, skip_kyc, auth_mode, authentication_method, message, signature } = parsed.data;
  return {
    ...back,
    client,
    codeChallenge: code_challenge,
    email,
    skipKyc: skip_kyc === 'true',
    authMode: auth_mode,
    siwe: authentication_method === undefined ? undefined : { message, signature },
  };
}

/** The same request as a query, for the links and forms of the pages that serve it. */
export function requestQuery(request: AuthorizationRequest): string {
  const query = new URLSearchParams({ client_id: request.client.id, redirect_uri: request.redirectUri });
  query.set('code_challenge', request.codeChallenge);
  query.set('code_challenge_method', 'S256');
  if (request.state !== undefined) query.set('state', request.state);
  if (request.email !== undefined) query.set('email', request.email);
  if (request.skipKyc) query.set('skip_kyc', 'true');
  if (request.authMode !== undefined) query.set('auth_mode', request.authMode);
  return query.toString();
}

/** One line for `error_description`. */
export function joinTexts(texts: Record<string, string>): string {
  return Object.entries(texts)
    .map(([field, problem]) => `${field} ${problem}`)
    .join('; ');
}

async function requireClient(ledger: Ledger, id: string | null): Promise<AuthorizationClient> {
  if (id === null) throw invalid({ client_id: 'is required' });
  if (!isUuid(id)) throw invalid({ client_id: 'must be a UUID' });
  const client = await findAuthorizationClient(ledger, id.toLowerCase());
  if (!client) throw invalid({ client_id: 'is not an application whose users sign in here' });
  return client;
}

/** By plain comparison of strings (RFC 9700, section 2.1). */
function requireRedirectUri({ redirectUris }: AuthorizationClient, given: string | null): string {
  if (given !== null) {
    if (redirectUris.includes(given)) return given;
    throw invalid({ redirect_uri: 'is not registered for this application, exactly as it is' });
  }
  const [only] = redirectUris;
  if (only === undefined) throw invalid({ redirect_uri: 'is not registered for this application: it has none' });
  if (redirectUris.length > 1) throw invalid({ redirect_uri: 'is required, because several are registered' });
  return only;
}
