import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOperator } from './operator.ts';
import { createPerson } from './people.ts';
import { type Service, startService } from './service.ts';

// In production mode, where the service is reached by https: these libraries refuse http.
let service: Service;
let operator: ReturnType<typeof createOperator>;
let user: ReturnType<typeof createPerson>;
let profile: string;
beforeAll(async () => {
  service = await startService('production');
  operator = createOperator(service);
  user = createPerson(service);
  ({ profile } = await user.comeAlone());
});
afterAll(() => service?.close());

const redirectUri = 'https://shop.example/callback';

/** What an application does by a library that knows the address of the service, and the id and secret of the application. */
interface Library {
  authorizationUrl: () => URL;
  codeGrant: (back: URL) => Promise<Tokens>;
  refreshGrant: (refreshToken: string) => Promise<Tokens>;
  clientCredentialsGrant: () => Promise<Tokens>;
  /** Reads the user context. Rejects when the token is not valid. */
  context: (accessToken: string) => Promise<unknown>;
  revoke: (token: string) => Promise<void>;
}

interface Tokens {
  access_token: string;
  refresh_token?: string;
}

type Method = 'client_secret_basic' | 'client_secret_post' | 'none';

const parameters = { redirect_uri: redirectUri, code_challenge_method: 'S256', state: 'opaque' };

async function openidClient(clientId: string, secret: string, method: Method): Promise<Library> {
  const authentication = {
    client_secret_basic: () => openid.ClientSecretBasic(secret),
    client_secret_post: () => openid.ClientSecretPost(secret),
    none: () => openid.None(),
  };
  const config = await openid.discovery(new URL(service.url), clientId, {}, authentication[method](), { algorithm: 'oauth2' });
  const verifier = openid.randomPKCECodeVerifier();
  const code_challenge = await openid.calculatePKCECodeChallenge(verifier);
  return {
    authorizationUrl: () => openid.buildAuthorizationUrl(config, { ...parameters, code_challenge }),
    codeGrant: (back) => openid.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: 'opaque' }),
    refreshGrant: (token) => openid.refreshTokenGrant(config, token),
    clientCredentialsGrant: () => openid.clientCredentialsGrant(config),
    context: async (token) => (await openid.fetchProtectedResource(config, token, new URL(`${service.url}/auth/context`), 'GET')).json(),
    revoke: (token) => openid.tokenRevocation(config, token),
  };
}

async function oauth4webapi(client_id: string, secret: string, method: Method): Promise<Library> {
  const issuer = new URL(service.url);
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2' }));
  const client = { client_id };
  const authentication = {
    client_secret_basic: () => oauth.ClientSecretBasic(secret),
    client_secret_post: () => oauth.ClientSecretPost(secret),
    none: () => oauth.None(),
  }[method]();
  const verifier = oauth.generateRandomCodeVerifier();
  const code_challenge = await oauth.calculatePKCECodeChallenge(verifier);
  return {
    authorizationUrl() {
      const url = new URL(server.authorization_endpoint ?? '');
      url.search = new URLSearchParams({ ...parameters, client_id, code_challenge, response_type: 'code' }).toString();
      return url;
    },
    async codeGrant(back) {
      const answer = oauth.validateAuthResponse(server, client, back, 'opaque');
      const response = await oauth.authorizationCodeGrantRequest(server, client, authentication, answer, redirectUri, verifier);
      return oauth.processAuthorizationCodeResponse(server, client, response);
    },
    async refreshGrant(token) {
      return oauth.processRefreshTokenResponse(server, client, await oauth.refreshTokenGrantRequest(server, client, authentication, token));
    },
    async clientCredentialsGrant() {
      const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, {});
      return oauth.processClientCredentialsResponse(server, client, response);
    },
    context: async (token) => (await oauth.protectedResourceRequest(token, 'GET', new URL(`${service.url}/auth/context`))).json(),
    revoke: async (token) => oauth.processRevocationResponse(await oauth.revocationRequest(server, client, authentication, token)),
  };
}

describe.each([
  ['openid-client', openidClient],
  ['oauth4webapi', oauth4webapi],
])('%s', (_, open) => {
  it.each<Method>(['client_secret_basic', 'client_secret_post', 'none'])(
    'discovers the service, and signs a user in, refreshes and revokes by %s',
    async (method) => {
      const registration = { owner: operator.newEmail(), redirectUris: [redirectUri], isConfidential: method !== 'none' };
      const { id, secret } = await operator.register({ kind: 'authorization_code', ...registration });
      const library = await open(id, secret, method);
      const page = await user.comeAgain(library.authorizationUrl());
      const granted = await library.codeGrant(await user.consent(page));
      const refreshed = await library.refreshGrant(granted.refresh_token ?? '');
      expect(await library.context(refreshed.access_token)).toMatchObject({ defaultProfile: profile });
      await library.revoke(refreshed.refresh_token ?? '');
      await expect(library.refreshGrant(refreshed.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
    },
  );

  it.each<Method>(['client_secret_basic', 'client_secret_post'])('acts for a partner by %s', async (method) => {
    const { id, secret } = await operator.register({ kind: 'whitelabel', owner: operator.newEmail() });
    await operator.approveApplication(id);
    const library = await open(id, secret, method);
    const { access_token, refresh_token } = await library.clientCredentialsGrant();
    expect(await library.context(access_token)).toMatchObject({ auth: { method: 'apiKey' } });
    await library.revoke((await library.refreshGrant(refresh_token ?? '')).refresh_token ?? '');

    const guessing = await open(id, 'a guess', method);
    await expect(guessing.clientCredentialsGrant()).rejects.toMatchObject({ status: method === 'client_secret_basic' ? 401 : 400 });
  });
});
