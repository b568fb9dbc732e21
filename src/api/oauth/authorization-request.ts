import { z } from '@hono/zod-openapi';
import { type AuthorizationClient, findAuthorizationClient } from '../../ledger/access/applications/clients.ts';
import { allowsRedirect } from '../../ledger/access/applications/redirect-uris.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { invalid, fieldMessages } from '../http/errors.ts';
import * as input from '../../wire/input-fields.ts';
import { isUuid } from '../../platform/uuid.ts';
import type { AuthorizationError, RedirectTarget } from './client-redirect.ts';

/** Longer than the state of any client; it travels in the query of every page. */
const maxStateLength = 4_096;

const flag = z.enum(['true', 'false']).optional();

/** The parameters of `/auth` (docs/api.md, Authorization endpoint). Unknown ones are ignored. */
export const parameters = z
  .object({
    client_id: input.uuid.openapi({ description: 'Id of the application.' }),
    code_challenge: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/, 'must be the SHA-256 of the verifier in base64url: 43 characters')
      .openapi({ description: 'The SHA-256 of the code verifier in base64url: 43 characters (RFC 7636).' }),
    code_challenge_method: z
      .literal('S256', 'must be S256')
      .optional()
      .openapi({ description: 'How the challenge was made; only `S256`.' }),
    redirect_uri: z.string().optional().openapi({
      description:
        'Where the answer goes, exactly as it is registered but for the port of a loopback address. Required when several are registered.',
    }),
    response_type: z.literal('code', 'must be code').optional().openapi({ description: 'What is requested: a `code`.' }),
    state: z
      .string()
      .max(maxStateLength)
      .optional()
      .openapi({
        description: `A text that comes back unchanged, at most ${maxStateLength} characters. It binds the answer to the browser that asked.`,
      }),
    email: z.string().optional().openapi({ description: 'An email address that the pages fill in.' }),
    skip_kyc: flag.openapi({ description: '`true` leaves out what is missing of the onboarding, in the sandbox only.' }),
    auth_mode: z.enum(['login', 'signup']).optional().openapi({ description: 'Which page comes first. Without it the user chooses.' }),
    authentication_method: z
      .literal('siwe', 'must be siwe')
      .optional()
      .openapi({ description: 'Sign in by a wallet (EIP-4361), with `message` and `signature`.' }),
    message: z.string().optional().openapi({ description: 'The signed message (EIP-4361), with `authentication_method=siwe`.' }),
    signature: z
      .string()
      .optional()
      .openapi({ description: 'The signature of `message` by the address that it names: `0x` and hexadecimal digits.' }),
  })
  .openapi('AuthorizationRequest', {
    description:
      'A request for the authorization of a user. Unknown parameters are ignored, empty ones count as left out, repeated ones are an error.',
  });

/** An authorization request whose client and redirect URI are valid: every further answer may go to that URI. */
export interface AuthorizationRequest extends RedirectTarget {
  client: AuthorizationClient;
  codeChallenge: string;
  email: string | undefined;
  skipKyc: boolean;
  authMode: 'login' | 'signup' | undefined;
  siwe: { message: string | undefined; signature: string | undefined } | undefined;
}

/** An error that is answered by a redirect to the client. */
export interface RedirectedError extends RedirectTarget {
  error: AuthorizationError;
  description: string;
}

/**
 * Reads the parameters of `/auth`. Throws `invalid_request` until client and redirect URI are known to be valid, because nobody is
 * redirected to an address that the operator did not register (RFC 9700, section 4.11). Later errors are returned, for a redirect.
 */
export async function readAuthorizationRequest(ledger: Ledger, all: URLSearchParams): Promise<AuthorizationRequest | RedirectedError> {
  const query = sentParameters(all);
  for (const name of ['client_id', 'redirect_uri']) if (query.getAll(name).length > 1) throw invalid({ [name]: 'must not be repeated' });
  const client = await requireClient(ledger, query.get('client_id'));
  const redirectUri = requireRedirectUri(client, query.get('redirect_uri'));

  const state = query.get('state') ?? undefined;
  const target: RedirectTarget = { redirectUri, state: state !== undefined && state.length <= maxStateLength ? state : undefined };
  const fail = (error: AuthorizationError, description: string): RedirectedError => ({ ...target, error, description });

  const repeated = Object.keys(parameters.shape).find((name) => query.getAll(name).length > 1);
  if (repeated !== undefined) return fail('invalid_request', `${repeated} must not be repeated`);
  const parsed = parameters.safeParse(Object.fromEntries(query));
  if (!parsed.success) {
    const messages = fieldMessages(parsed.error.issues);
    const error = Object.keys(messages).join() === 'response_type' ? 'unsupported_response_type' : 'invalid_request';
    return fail(error, joinMessages(messages));
  }
  const { code_challenge, email, skip_kyc, auth_mode, authentication_method, message, signature } = parsed.data;
  return {
    ...target,
    client,
    codeChallenge: code_challenge,
    email,
    skipKyc: skip_kyc === 'true',
    authMode: auth_mode,
    siwe: authentication_method === undefined ? undefined : { message, signature },
  };
}

/** The request as a query, for the links and forms of its pages. */
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
export function joinMessages(messages: Record<string, string>): string {
  return Object.entries(messages)
    .map(([field, problem]) => `${field} ${problem}`)
    .join('; ');
}

async function requireClient(ledger: Ledger, id: string | null): Promise<AuthorizationClient> {
  if (id === null) throw invalid({ client_id: 'is required' });
  if (!isUuid(id)) throw invalid({ client_id: 'must be a UUID' });
  const client = await findAuthorizationClient(ledger, id.toLowerCase());
  if (!client) throw invalid({ client_id: 'is not the id of an application whose users sign in here' });
  return client;
}

function requireRedirectUri({ redirectUris }: AuthorizationClient, requested: string | null): string {
  if (requested !== null) {
    if (redirectUris.some((registered) => allowsRedirect(registered, requested))) return requested;
    throw invalid({ redirect_uri: 'is not registered for this application in exactly this form' });
  }
  const [only] = redirectUris;
  if (only === undefined) throw invalid({ redirect_uri: 'is not registered for this application: it has none' });
  if (redirectUris.length > 1) throw invalid({ redirect_uri: 'is required, because several are registered' });
  return only;
}

/** The parameters of a request to the authorization server. One without a value counts as left out (RFC 6749, sections 3.1 and 3.2). */
export function sentParameters(all: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...all].filter(([, value]) => value !== ''));
}
