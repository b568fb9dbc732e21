import { expect } from 'vitest';
import { registerApplication } from '../../../src/ledger/access/applications/register-application.ts';
import { basic, redirectUri } from '../../api/oauth/client.ts';
import {
  hosted,
  issuer,
  type OAuthAnswer,
  type OAuthClient,
  ok,
  outright,
  refused,
  sentBack,
  type Sentence,
  sentence,
} from './oauth-client.ts';
import { challenge, verifier } from '../requests.ts';

const challengedWith = (status: number, challengeText: string) => ({ status, headers: { 'www-authenticate': challengeText } });
const endpoints = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/auth/token` };

/** The RFCs about using, extending and securing OAuth 2.0: what they demand of the server. RFC 9700 is also in docs/security.md, as a whole. */
export const otherOAuthRfcs: Record<string, Sentence[]> = {
  'RFC 6750, bearer tokens': [
    sentence(
      '2.1',
      'tokens in the header are supported, the scheme in any case',
      async ({ redeemed, resource }) => resource(`bEARER ${(await redeemed()).tokens.access_token}`),
      ok,
    ),
    sentence(
      '2.2',
      'tokens in a form may be supported',
      async ({ redeemed, ask }) => ask('POST', '/addresses', { form: { access_token: (await redeemed()).tokens.access_token } }),
      { status: 401 },
    ),
    sentence(
      '2.3',
      'tokens in the query should not be used',
      async ({ redeemed, resource }) => resource(undefined, 'GET', `/addresses?access_token=${(await redeemed()).tokens.access_token}`),
      { status: 401 },
    ),
    sentence(
      '3',
      'without a token, the challenge is Bearer with a parameter, and names no error',
      ({ resource }) => resource(),
      challengedWith(401, 'Bearer realm="API"'),
    ),
    sentence(
      '3',
      'nor is there an error for a scheme that is not supported',
      ({ resource }) => resource('Basic eDp5'),
      challengedWith(401, 'Bearer realm="API"'),
    ),
    sentence(
      '3.1',
      'a token that is unknown, expired or revoked is 401 invalid_token',
      ({ resource }) => resource('Bearer none'),
      challengedWith(401, 'Bearer realm="API", error="invalid_token"'),
    ),
    sentence(
      '3.1',
      'so is a malformed one',
      ({ resource }) => resource('Bearer a b'),
      challengedWith(401, 'Bearer realm="API", error="invalid_token"'),
    ),
    sentence(
      '3.1',
      'one with too little scope is 403 insufficient_scope',
      async ({ redeemed, resource }) => resource(`Bearer ${(await redeemed()).tokens.access_token}`, 'POST'),
      challengedWith(403, 'Bearer realm="API", error="insufficient_scope"'),
    ),
    sentence('5.3', 'tokens are short-lived: an hour or less', ({ exchange }) => exchange(), { body: { expires_in: 3600 } }),
  ],
  'RFC 7636, PKCE': [
    sentence('4.2', 'a challenge is the SHA-256 of the verifier in base64url', ({ exchange }) => exchange({ code_verifier: verifier }), ok),
    sentence(
      '4.3',
      'the method is plain where it is left out',
      ({ authorize }) => authorize(),
      hosted,
      'only S256 is supported, and code_challenge_method may be left out',
    ),
    sentence(
      '4.4.1',
      'a server that requires PKCE answers invalid_request without a challenge',
      ({ authorize }) => authorize({ code_challenge: '' }),
      sentBack('invalid_request', { error_description: 'code_challenge is required' }),
    ),
    sentence(
      '4.4.1',
      'and for a method that it does not support',
      ({ authorize }) => authorize({ code_challenge_method: 'plain' }),
      sentBack('invalid_request', { error_description: 'code_challenge_method must be S256' }),
    ),
    sentence('4.5', 'the token request has the verifier', ({ exchange }) => exchange({ code_verifier: '' }), refused('invalid_request')),
    sentence('4.6', 'a verifier that does not match is invalid_grant', ({ exchange }) => exchange({ code_verifier: 'x'.repeat(43) }), {
      status: 400,
      body: { error: 'invalid_grant', error_description: 'The code verifier does not match the code challenge.' },
    }),
    sentence('4.6', 'the challenge itself is none', ({ exchange }) => exchange({ code_verifier: challenge }), refused('invalid_grant')),
  ],
  'RFC 7009, revocation': [
    sentence(
      '2.1',
      'credentials of a confidential client are validated',
      async ({ revoke, secret: { id } }) => revoke({ token: 'none', client_id: id }),
      refused('invalid_client'),
    ),
    sentence(
      '2.1',
      'as at the token endpoint, also by HTTP Basic',
      async ({ revoke, secret: { id, secret } }) => revoke({ token: 'none' }, basic(id, secret)),
      ok,
    ),
    sentence(
      '2.1',
      'a token of another client is refused',
      async ({ revoke, refreshToken, secret: { id, secret } }) => revoke({ token: await refreshToken() }, basic(id, secret)),
      refused('invalid_grant'),
    ),
    sentence(
      '2.1',
      'with a refresh token its access tokens end',
      async ({ redeemed, revoke, resource, id }) => {
        const { tokens } = await redeemed();
        await revoke({ token: tokens.refresh_token, client_id: id });
        return resource(`Bearer ${tokens.access_token}`);
      },
      { status: 401 },
    ),
    sentence(
      '2.1',
      'a hint that is wrong does not keep the token',
      async ({ redeemed, revoke, resource, id }) => {
        const { tokens } = await redeemed();
        await revoke({ token: tokens.access_token, token_type_hint: 'refresh_token', client_id: id });
        return resource(`Bearer ${tokens.access_token}`);
      },
      { status: 401 },
    ),
    sentence('2.2', 'a token that is not valid is answered 200', ({ revoke, id }) => revoke({ token: 'none', client_id: id }), ok),
    sentence('2.2.1', 'errors are those of RFC 6749', ({ revoke, id }) => revoke({ client_id: id }), refused('invalid_request')),
  ],
  'RFC 8252, native apps': [
    sentence(
      '7.1',
      'schemes of an app’s own, by its domain name in reverse, are supported',
      ({ authorizeAt }) => authorizeAt(['com.example.app:/back'], { code_challenge: 'x' }),
      { status: 302, redirect: { to: 'com.example.app:/back' } },
    ),
    sentence('7.2', 'https URIs are supported', ({ authorize }) => authorize(), hosted),
    sentence(
      '7.3',
      'a loopback URI is reached at any port of the request',
      ({ authorizeAt }) => authorizeAt(['http://127.0.0.1/back'], { redirect_uri: 'http://127.0.0.1:51004/back' }),
      hosted,
    ),
    sentence(
      '7.3',
      'also by IPv6',
      ({ authorizeAt }) => authorizeAt(['http://[::1]:1/back'], { redirect_uri: 'http://[::1]:51004/back' }),
      hosted,
    ),
    sentence(
      '8.1',
      'PKCE is supported, and required of native apps',
      ({ authorizeAt }) => authorizeAt(['com.example.app:/back'], { code_challenge: '' }),
      { status: 302, redirect: { to: 'com.example.app:/back', parameters: { error: 'invalid_request' } } },
    ),
    sentence(
      '8.4',
      'redirect URIs are registered completely, and compared exactly but for that port',
      ({ authorizeAt }) => authorizeAt(['http://127.0.0.1/back'], { redirect_uri: 'http://127.0.0.1:51004/back/2' }),
      outright,
    ),
    sentence('8.4', 'a private-use scheme without a period is rejected', registered('app:/back'), { status: 400 }),
    sentence('8.5', 'a public client needs no secret', ({ exchange }) => exchange(), ok),
  ],
  'RFC 8414, metadata': [
    sentence('2', 'issuer, endpoints and response types are named', ({ metadata }) => metadata(), {
      body: { issuer, ...endpoints, response_types_supported: ['code'] },
    }),
    sentence('2', 'so are the methods of authentication at each endpoint', ({ metadata }) => metadata(), {
      body: {
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      },
    }),
    sentence('2', 'and grant types, where they are not the default', ({ metadata }) => metadata(), {
      body: { grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'] },
    }),
    sentence('2', 'and the methods of PKCE', ({ metadata }) => metadata(), { body: { code_challenge_methods_supported: ['S256'] } }),
    sentence('3.2', 'the answer is 200 and JSON', ({ metadata }) => metadata(), {
      status: 200,
      headers: { 'content-type': expect.stringMatching(/^application\/json/) },
    }),
  ],
  'RFC 9207, the issuer in answers': [
    sentence('2', 'a successful answer has iss', ({ signIn }) => signIn(), {
      redirect: { parameters: { code: expect.any(String), iss: issuer } },
    }),
    sentence('2', 'so has an error', ({ authorize }) => authorize({ code_challenge: 'x' }), {
      redirect: { parameters: { error: 'invalid_request', iss: issuer } },
    }),
    sentence('2.1', 'it is the issuer of the metadata', ({ metadata }) => metadata(), { body: { issuer } }),
    sentence('3', 'the metadata says so', ({ metadata }) => metadata(), { body: { authorization_response_iss_parameter_supported: true } }),
  ],
  'RFC 9700, security': [
    sentence(
      '2.1',
      'redirect URIs are compared exactly',
      ({ authorize }) => authorize({ redirect_uri: `${redirectUri}?next=https://evil.example` }),
      outright,
    ),
    sentence(
      '2.1.1',
      'PKCE is enforced, for confidential clients too',
      async ({ register, authorize }) => authorize({ client_id: (await register({ isConfidential: true })).id, code_challenge: '' }),
      sentBack('invalid_request'),
    ),
    sentence(
      '2.1.2',
      'no token is in the answer of the authorization endpoint',
      ({ authorize }) => authorize({ response_type: 'code token' }),
      sentBack('unsupported_response_type'),
    ),
    sentence(
      '2.4',
      'the password grant is not used',
      ({ credentials }) => credentials({ grant_type: 'password' }),
      refused('unsupported_grant_type'),
    ),
    sentence(
      '2.6',
      'the authorization endpoint is read by no script of another origin',
      ({ ask, id }) => ask('GET', `/auth?client_id=${id}`, { headers: { Origin: 'https://shop.example' } }),
      { headers: expect.not.objectContaining({ 'access-control-allow-origin': expect.anything() }) },
    ),
    sentence(
      '4.12',
      'a request that may have credentials is not redirected by 307',
      ({ authorize }) => authorize({}, 'POST'),
      hosted,
      '307 leads to the hosted pages; no credentials have been entered before',
    ),
    sentence(
      '4.14.2',
      'refresh tokens of public clients rotate',
      async ({ refreshToken, refresh }) => {
        const refresh_token = await refreshToken();
        await refresh({ refresh_token });
        return refresh({ refresh_token });
      },
      refused('invalid_grant'),
    ),
    sentence(
      '4.14.2',
      'and one that is used twice ends the tokens that came from it',
      async ({ redeemed, refresh, resource }) => {
        const { tokens } = await redeemed();
        const first = (await refresh({ refresh_token: tokens.refresh_token })).body as { access_token: string };
        await refresh({ refresh_token: tokens.refresh_token });
        return resource(`Bearer ${first.access_token}`);
      },
      { status: 401 },
    ),
  ],
};

/** What becomes of the registration of a redirect URI in production. */
function registered(uri: string): Sentence['ask'] {
  return async ({ world }: OAuthClient): Promise<OAuthAnswer> => {
    const application = {
      kind: 'authorization_code',
      name: 'App',
      owner: 'app@example.org',
      redirectUris: [uri],
      permission: 'read',
      origins: [],
    } as const;
    const outcome = await registerApplication(world.api.ledger, { ...application, redirectUris: [uri], origins: [] }, 'production').then(
      () => 200,
      () => 400,
    );
    return { status: outcome, headers: {}, body: undefined, redirect: undefined };
  };
}
