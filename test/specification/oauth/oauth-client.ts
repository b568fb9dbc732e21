import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { createApplication, type NewApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { basic, redirectUri } from '../../api/oauth/client.ts';
import { authorize, code, query, siwe, userRefreshToken, verifier } from '../requests.ts';
import { send, type World } from '../world.ts';

/** How the rows name the service, wherever it listens. */
export const issuer = 'http://localhost:3000';

/** An answer as the rows of the RFCs look at it. */
export interface OAuthAnswer {
  status: number;
  headers: Record<string, string>;
  /** The JSON body. */
  body: unknown;
  /** Where a browser is sent: the URI up to what was added to it, and the parameters that were. */
  redirect: { to: string; parameters: Record<string, string> } | undefined;
}

/** A sentence of an RFC about the server, a request that shows whether it is held, and what the answer has to have. */
export interface Sentence {
  /** RFC and section. */
  row: string;
  /** What it demands, in short, and where a rule of the specification holds in its place, that. */
  says: string;
  ask: (client: OAuthClient) => Promise<OAuthAnswer>;
  is: object;
}

/** A sentence with its request and answer; `instead` is the rule of the specification that wins over it. */
export function sentence(row: string, says: string, ask: Sentence['ask'], is: object, instead?: string): Sentence {
  return { row, says: instead === undefined ? says : `${says} (the specification wins: ${instead})`, ask, is };
}

/** Served. */
export const ok = { status: 200 };

/** Sent on to the pages for users. */
export const hosted = { status: 307, redirect: { to: `${issuer}/authorize/start` } };

/** Refused where nobody may be redirected. */
export const outright = { status: 400, redirect: undefined, body: { error: 'invalid_request' } };

/** Refused by the endpoints for tokens. */
export const refused = (error: string) => ({ status: 400, body: { error, error_description: expect.any(String) } });

/** Sent back to the client with an error. */
export const sentBack = (error: string, more: Record<string, unknown> = {}) => ({
  status: 302,
  redirect: { to: redirectUri, parameters: { error, error_description: expect.any(String), state: 'unchanged', ...more } },
});

type Fields = Record<string, string>;

/** What the rows send: requests with everything that they need, which a row changes. */
export function createOAuthClient(world: World) {
  const { whitelabel, authorizationCode: id } = world;
  const named = (text: string) => text.replaceAll(world.url, issuer).replaceAll(encodeURIComponent(world.url), encodeURIComponent(issuer));
  const ask = async (method: string, path: string, sent: { form?: Fields; headers?: Fields }): Promise<OAuthAnswer> => {
    const { status, headers, text } = await send(world, method, path, sent);
    const location = headers.get('Location');
    const isJson = headers.get('Content-Type')?.startsWith('application/json') === true && text !== '';
    return {
      status,
      headers: Object.fromEntries(headers),
      body: isJson ? JSON.parse(named(text)) : undefined,
      redirect: location === null ? undefined : redirectOf(named(location)),
    };
  };
  const token = (form: Fields, headers: Fields = {}) => ask('POST', '/auth/token', { form, headers });
  const grant = async (change: Fields = {}) => ({
    grant_type: 'authorization_code',
    client_id: id,
    code: await code(world),
    code_verifier: verifier,
    redirect_uri: redirectUri,
    ...change,
  });
  return {
    world,
    id,
    secret: { id: whitelabel.clientId, secret: whitelabel.secret },
    ask,
    token,
    grant,
    /** A request for authorization, changed; a parameter of no value stands there as such. */
    authorize: (change: Fields = {}, method: 'GET' | 'POST' = 'GET') => {
      const fields = authorize(world, change);
      return method === 'POST' ? ask('POST', '/auth', { form: fields }) : ask('GET', `/auth${query(fields)}`, {});
    },
    /** The same for another application. */
    authorizeAt: async (redirectUris: string[], fields: Fields = {}) => {
      const application = await register(world, { redirectUris });
      const { redirect_uri: _, ...rest } = authorize(world, { client_id: application.id });
      return ask('GET', `/auth${query({ ...rest, ...fields })}`, {});
    },
    /** Completes an authorization by a wallet. */
    signIn: async (change: Fields = {}) => ask('POST', '/auth', { form: { ...(await siwe(world)), ...change } }),
    exchange: async (change: Fields = {}, headers: Fields = {}) => token(await grant(change), headers),
    refresh: async (change: Fields = {}) =>
      token({ grant_type: 'refresh_token', client_id: id, refresh_token: await userRefreshToken(world), ...change }),
    /** Client credentials in the form. */
    credentials: (change: Fields = {}) =>
      token({ grant_type: 'client_credentials', client_id: whitelabel.clientId, client_secret: whitelabel.secret, ...change }),
    /** The same by HTTP Basic. */
    byBasic: (clientId = whitelabel.clientId, secret = whitelabel.secret, change: Fields = {}) =>
      token({ grant_type: 'client_credentials', ...change }, basic(clientId, secret)),
    register: (application: Partial<NewApplication>) => register(world, application),
    /** A code that was redeemed, and the tokens that it gave. */
    redeemed: async () => {
      const first = await grant();
      return { grant: first, tokens: (await token(first)).body as { access_token: string; refresh_token: string } };
    },
    /** A protected resource. */
    resource: (Authorization?: string, method = 'GET', path = '/addresses') =>
      ask(method, path, { headers: Authorization === undefined ? {} : { Authorization } }),
    revoke: (form: Fields, headers: Fields = {}) => ask('POST', '/auth/revoke', { form, headers }),
    metadata: () => ask('GET', '/.well-known/oauth-authorization-server', {}),
    refreshToken: () => userRefreshToken(world),
  };
}

export type OAuthClient = ReturnType<typeof createOAuthClient>;

async function register({ api, whitelabel }: World, application: Partial<NewApplication>) {
  return createApplication(api.ledger, {
    kind: 'authorization_code',
    name: `Web ${randomUUID()}`,
    owner: whitelabel.user,
    redirectUris: [redirectUri],
    ...application,
  });
}

function redirectOf(location: string): OAuthAnswer['redirect'] {
  const start = /[?&](?=code=|error=|client_id=)/.exec(location)?.index ?? location.length;
  return { to: location.slice(0, start), parameters: Object.fromEntries(new URLSearchParams(location.slice(start + 1))) };
}
