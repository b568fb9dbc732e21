import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { basic, redirectUri } from '../../api/oauth/client.ts';
import { createTestApi } from '../../api/support/test-api.ts';
import { hosted, type OAuthAnswer, type OAuthClient, ok, outright, refused, sentBack, type Sentence, sentence } from './oauth-client.ts';
import { query } from '../requests.ts';

const challenged = {
  status: 401,
  body: { error: 'invalid_client' },
  headers: { 'www-authenticate': expect.stringMatching(/^Basic realm="/) },
};
/** Refused in the words that clients of this API family know. */
const notAuthorized = {
  status: 400,
  body: {
    error: 'unauthorized_client',
    message: 'The client is not authorized to request a token using this method.',
    error_description: 'The client is not authorized to request a token using this method.',
  },
};
const valueless = ['redirect_uri', 'code_challenge_method', 'response_type', 'state', 'email', 'auth_mode', 'authentication_method'];
const noStore = { headers: { 'cache-control': 'no-store', pragma: 'no-cache' } };
const printable = expect.stringMatching(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
const encoded = (text: string) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&');

/** RFC 6749, the OAuth 2.0 authorization framework: what it demands of the server, section by section. */
export const rfc6749: Sentence[] = [
  sentence(
    '2.3',
    'a client uses one method of authentication in a request',
    ({ secret: { id, secret }, byBasic }) => byBasic(id, secret, { client_secret: secret }),
    refused('invalid_request'),
  ),
  sentence('2.3.1', 'clients that have a password may use HTTP Basic', ({ byBasic }) => byBasic(), ok),
  sentence(
    '2.3.1',
    'id and password are encoded as in a form',
    ({ byBasic, secret: { id, secret } }) => byBasic(encoded(id), encoded(secret)),
    ok,
  ),
  sentence('2.3.1', 'credentials in the body may be taken', ({ credentials }) => credentials(), ok),
  sentence(
    '2.3.1',
    'credentials are not in the request URI',
    ({ ask, secret: { id, secret } }) =>
      ask('POST', `/auth/token${query({ client_id: id, client_secret: secret })}`, { form: { grant_type: 'client_credentials' } }),
    refused('invalid_request'),
  ),
  sentence('2.3.1', 'the server protects endpoints that take passwords against guessing', guessing, { status: 429 }),
  sentence('3.1', 'the authorization endpoint supports GET', ({ authorize }) => authorize(), hosted),
  sentence('3.1', 'and may support POST', ({ authorize }) => authorize({}, 'POST'), hosted),
  sentence(
    '3.1',
    'parameters without a value are treated as if they were left out',
    ({ authorize }) => authorize(Object.fromEntries(valueless.map((name) => [name, '']))),
    { ...hosted, redirect: { parameters: expect.not.objectContaining({ state: expect.anything() }) } },
  ),
  sentence(
    '3.1',
    'unrecognised parameters are ignored',
    ({ authorize }) => authorize({ response_type: 'code', scope: 'a', details: '{}' }),
    {
      ...hosted,
      redirect: { parameters: expect.not.objectContaining({ scope: expect.anything() }) },
    },
  ),
  sentence(
    '3.1',
    'parameters are not included more than once',
    ({ ask, id }) =>
      ask('GET', `/auth${query({ client_id: id, redirect_uri: redirectUri, state: 'unchanged' })}&code_challenge=a&code_challenge=b`, {}),
    sentBack('invalid_request', { error_description: 'code_challenge must not be repeated' }),
  ),
  sentence(
    '3.1.1',
    'a request without response_type is an error',
    ({ authorize }) => authorize(),
    hosted,
    'response_type is no parameter of the specification',
  ),
  sentence(
    '3.1.1',
    'a response type that is not understood is an error',
    ({ authorize }) => authorize({ response_type: 'id_token' }),
    sentBack('unsupported_response_type'),
  ),
  sentence(
    '3.1.2',
    'the query of the redirection endpoint is retained',
    ({ authorizeAt }) => authorizeAt([`${redirectUri}?a=b%20c`], { code_challenge: 'x' }),
    { status: 302, redirect: { to: `${redirectUri}?a=b%20c`, parameters: { error: 'invalid_request' } } },
  ),
  sentence(
    '3.1.2.3',
    'with several registered, the client names one',
    ({ authorizeAt }) => authorizeAt([redirectUri, `${redirectUri}2`]),
    outright,
  ),
  sentence(
    '3.1.2.3',
    'the one that is named is compared with those that are registered',
    ({ authorize }) => authorize({ redirect_uri: `${redirectUri}/x` }),
    outright,
  ),
  sentence('3.1.2.3', 'with one registered, it may be left out', ({ authorizeAt }) => authorizeAt([redirectUri]), {
    ...hosted,
    redirect: { parameters: { redirect_uri: redirectUri } },
  }),
  sentence(
    '3.1.2.4',
    'nobody is redirected to an invalid redirection URI',
    ({ authorize }) => authorize({ redirect_uri: 'https://evil.example' }),
    outright,
  ),
  sentence('3.2', 'the token endpoint is used by POST', ({ ask }) => ask('GET', '/auth/token', {}), {
    status: 405,
    headers: { allow: 'POST' },
  }),
  sentence(
    '3.2',
    'parameters without a value are treated as if they were left out',
    async ({ exchange }) => exchange({ client_secret: '' }),
    ok,
  ),
  sentence('3.2', 'unrecognised parameters are ignored', ({ credentials }) => credentials({ resource: 'https://a.example' }), ok),
  sentence('3.2', 'parameters are not included more than once', ({ world }) => twice(world), {
    ...refused('invalid_request'),
    body: { errors: { client_id: 'must not be repeated' } },
  }),
  sentence(
    '3.2.1',
    'confidential clients authenticate at the token endpoint',
    async ({ register, token, grant }) => token(await grant({ client_id: (await register({ isConfidential: true })).id })),
    refused('invalid_client'),
  ),
  sentence('3.2.1', 'a client that does not authenticate sends its client_id', ({ exchange }) => exchange({ client_id: '' }), {
    ...refused('invalid_request'),
    body: { errors: { client_id: 'is required' } },
  }),
  sentence('3.3', 'a scope that is not the requested one is in the answer', ({ exchange }) => exchange({ scope: 'everything' }), {
    body: { scope: 'read' },
  }),
  sentence('4.1.2', 'the answer has the code, and the state exactly as it was received', signedIn, {
    status: 302,
    redirect: { to: redirectUri, parameters: { code: expect.any(String), state: 'a b+c&d=é"\n' } },
  }),
  sentence(
    '4.1.2',
    'a code that is used a second time is denied',
    async ({ redeemed, token }) => token((await redeemed()).grant),
    refused('invalid_grant'),
  ),
  sentence(
    '4.1.2',
    'and the tokens that it gave are revoked',
    async ({ redeemed, token, resource }) => {
      const { grant, tokens } = await redeemed();
      await token(grant);
      return resource(`Bearer ${tokens.access_token}`);
    },
    { status: 401 },
  ),
  sentence(
    '4.1.2',
    'a code is bound to its client',
    async ({ exchange, register }) => exchange({ client_id: (await register({})).id }),
    refused('invalid_grant'),
  ),
  sentence(
    '4.1.2.1',
    'an invalid client is told to the user, who is not redirected',
    ({ authorize }) => authorize({ client_id: randomUUID() }),
    outright,
  ),
  sentence(
    '4.1.2.1',
    'a missing or invalid parameter is invalid_request',
    ({ authorize }) => authorize({ code_challenge: 'short' }),
    sentBack('invalid_request'),
  ),
  sentence(
    '4.1.2.1',
    'a response type that is not supported has an error of its own',
    ({ authorize }) => authorize({ response_type: 'token' }),
    sentBack('unsupported_response_type'),
  ),
  sentence(
    '4.1.2.1',
    'error_description has printable ASCII without quotes and backslashes',
    ({ authorize }) => authorize({ auth_mode: '"é\\' }),
    sentBack('invalid_request', { error_description: printable }),
  ),
  sentence(
    '4.1.3',
    'the redirection URI is the one of the request for authorization',
    ({ exchange }) => exchange({ redirect_uri: `${redirectUri}/` }),
    refused('invalid_grant'),
  ),
  sentence(
    '4.1.3',
    'it may be left out where the request for authorization had none',
    ({ exchange }) => exchange({ redirect_uri: '' }),
    refused('invalid_request'),
    'redirect_uri is a required field of the grant',
  ),
  sentence('4.1.3', 'a code that was never issued is refused', ({ exchange }) => exchange({ code: 'none' }), refused('invalid_grant')),
  sentence(
    '4.2',
    'the implicit grant may be supported',
    ({ authorize }) => authorize({ response_type: 'token' }),
    sentBack('unsupported_response_type'),
  ),
  sentence(
    '4.3',
    'the password grant may be supported',
    ({ credentials }) => credentials({ grant_type: 'password', username: 'a', password: 'b' }),
    refused('unsupported_grant_type'),
  ),
  sentence(
    '4.4',
    'client credentials are for confidential clients alone',
    async ({ register, credentials }) => {
      const { id, secret } = await register({ isConfidential: true });
      return credentials({ client_id: id, client_secret: secret });
    },
    notAuthorized,
  ),
  sentence('4.4.2', 'the client authenticates', ({ credentials }) => credentials({ client_secret: '' }), refused('invalid_client')),
  sentence(
    '4.4.3',
    'a refresh token should not be included',
    ({ credentials }) => credentials(),
    { body: { refresh_token: expect.any(String) } },
    'the answer to each grant has a refresh_token',
  ),
  sentence('5.1', 'the answer is JSON with access_token, token_type and expires_in', ({ exchange }) => exchange(), {
    headers: { 'content-type': expect.stringMatching(/^application\/json/) },
    body: { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 },
  }),
  sentence('5.1', 'an answer with tokens is not cached', ({ exchange }) => exchange(), noStore),
  sentence('5.2', 'errors are 400 with error and error_description', ({ token }) => token({}), refused('invalid_request')),
  sentence(
    '5.2',
    'a client that failed by the header is challenged with its scheme',
    ({ byBasic, secret: { id } }) => byBasic(id, 'guess'),
    challenged,
  ),
  sentence('5.2', 'so is one that is not known', ({ byBasic }) => byBasic(randomUUID(), 'guess'), challenged),
  sentence(
    '5.2',
    'and one whose method is not supported',
    ({ ask }) =>
      ask('POST', '/auth/token', { form: { grant_type: 'client_credentials' }, headers: { Authorization: 'Digest username="a"' } }),
    challenged,
  ),
  sentence(
    '5.2',
    'a client that failed in the body is invalid_client',
    ({ credentials }) => credentials({ client_secret: 'guess' }),
    refused('invalid_client'),
  ),
  sentence(
    '5.2',
    'a grant of another client is invalid_grant',
    async ({ refresh, register }) => refresh({ client_id: (await register({})).id }),
    refused('invalid_grant'),
  ),
  sentence(
    '5.2',
    'a client that may not use a grant is unauthorized_client',
    async ({ exchange, secret: { id } }) => exchange({ client_id: id }),
    notAuthorized,
  ),
  sentence(
    '5.2',
    'a grant type that is not supported has an error of its own',
    ({ credentials }) => credentials({ grant_type: 'urn:ietf:params:oauth:grant-type:device_code' }),
    refused('unsupported_grant_type'),
  ),
  sentence('5.2', 'error_description has printable ASCII without quotes and backslashes', ({ token }) => token({ grant_type: 'é"' }), {
    body: { error_description: printable },
  }),
  sentence('6', 'a refresh token gives new tokens', ({ refresh }) => refresh(), { ...ok, body: { refresh_token: expect.any(String) } }),
  sentence(
    '6',
    'confidential clients authenticate',
    async ({ world: { whitelabel }, credentials, token }) => {
      const { body } = await credentials();
      return token({
        grant_type: 'refresh_token',
        client_id: whitelabel.clientId,
        refresh_token: (body as { refresh_token: string }).refresh_token,
      });
    },
    ok,
    'client_id and refresh_token are all that a refresh needs; `app create --refresh-needs-secret` asks for the secret as well',
  ),
  sentence(
    '6',
    'authentication that is included is checked',
    ({ refresh }) => refresh({ client_secret: 'guess' }),
    refused('invalid_client'),
  ),
  sentence('6', 'the refresh token is validated', ({ refresh }) => refresh({ refresh_token: 'none' }), refused('invalid_grant')),
  sentence(
    '10.13',
    'pages of the server are not framed',
    async ({ ask, authorize }) => {
      const { redirect } = await authorize();
      return ask('GET', `/authorize/sign-in${query(redirect?.parameters ?? {})}`, {});
    },
    { status: 200, headers: { 'x-frame-options': 'DENY' } },
  ),
];

/** A client whose every guess is refused is stopped, whichever way it sends them. */
async function guessing(): Promise<OAuthAnswer> {
  const api = await createTestApi({ env: { RATE_LIMITS: 'failedLogins:2' } });
  const { clientId } = await api.partner();
  const guess = () => api.form({ grant_type: 'client_credentials' }, basic(clientId, 'guess'));
  await guess();
  await guess();
  const { status, headers, json } = await guess();
  await api.close();
  return { status, headers: Object.fromEntries(headers), body: json, redirect: undefined };
}

async function twice({ api, whitelabel: { clientId } }: OAuthClient['world']): Promise<OAuthAnswer> {
  const body = `grant_type=client_credentials&client_id=${clientId}&client_id=${clientId}&client_secret=a`;
  const answer = await api.send('POST', '/auth/token', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: answer.json, redirect: undefined };
}

async function signedIn({ signIn }: OAuthClient): Promise<OAuthAnswer> {
  return signIn({ state: 'a b+c&d=é"\n' });
}
