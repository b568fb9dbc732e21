import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOperator } from './operator.ts';
import { createPerson } from './people.ts';
import { type Service, startService } from './service.ts';

// In production mode, where the service is reached by https: the library refuses http.
let service: Service;
let operator: ReturnType<typeof createOperator>;
let user: ReturnType<typeof createPerson>;
let profile: string;
beforeAll(async () => {
  service = await startService('production');
  operator = createOperator(service);
  user = createPerson(service);
  ({ profile } = await user.come());
});
afterAll(() => service?.close());

const redirectUri = 'https://shop.example/callback';

type Method = 'client_secret_basic' | 'client_secret_post' | 'none';

const parameters = { redirect_uri: redirectUri, code_challenge_method: 'S256', state: 'opaque' };

/** What an application does by a library that knows the address of the service, and its id and secret. */
async function openidClient(clientId: string, secret: string, method: Method) {
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
    codeGrant: (back: URL) => openid.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: 'opaque' }),
    refreshGrant: (token: string) => openid.refreshTokenGrant(config, token),
    clientCredentialsGrant: () => openid.clientCredentialsGrant(config),
    /** Reads the user context. Rejects when the token is not valid. */
    context: async (token: string): Promise<unknown> =>
      (await openid.fetchProtectedResource(config, token, new URL(`${service.url}/auth/context`), 'GET')).json(),
    revoke: (token: string) => openid.tokenRevocation(config, token),
  };
}

describe('openid-client, which is made of oauth4webapi,', () => {
  it.each<Method>(['client_secret_basic', 'client_secret_post', 'none'])(
    'discovers the service, and signs a user in, refreshes and revokes by %s',
    async (method) => {
      const registration = { owner: operator.newEmail(), redirectUris: [redirectUri], isConfidential: method !== 'none' };
      const { id, secret } = await operator.register({ kind: 'authorization_code', ...registration });
      const library = await openidClient(id, secret, method);
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
    const library = await openidClient(id, secret, method);
    const { access_token, refresh_token } = await library.clientCredentialsGrant();
    expect(await library.context(access_token)).toMatchObject({ auth: { method: 'apiKey' } });
    await library.revoke((await library.refreshGrant(refresh_token ?? '')).refresh_token ?? '');

    const guessing = await openidClient(id, 'a guess', method);
    await expect(guessing.clientCredentialsGrant()).rejects.toMatchObject({ status: method === 'client_secret_basic' ? 401 : 400 });
  });
});
