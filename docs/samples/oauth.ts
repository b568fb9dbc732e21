// An application whose users sign in and consent. It needs API, ID, REDIRECT_URI, and visit(), which sends the browser to a URL and resolves to
// the URL to which it comes back.
// #region start
import { createHash, randomBytes } from 'node:crypto';
import { createClient } from 'mintrail-client';

const { API = '', ID = '', REDIRECT_URI = '' } = process.env;
const verifier = randomBytes(32).toString('base64url');
const state = randomBytes(16).toString('base64url');
const authorization = new URL(`${API}/auth`);
authorization.search = new URLSearchParams({
  client_id: ID,
  redirect_uri: REDIRECT_URI,
  response_type: 'code',
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
  state,
}).toString();
// #endregion

declare global {
  // oxlint-disable-next-line no-var -- the only way to declare a global function value
  var visit: (url: URL) => Promise<URL>;
}
const back = await globalThis.visit(authorization);

// #region exchange
if (back.searchParams.get('state') !== state) throw new Error('The answer belongs to another sign-in');
const error = back.searchParams.get('error');
if (error !== null) throw new Error(`${error}: ${back.searchParams.get('error_description')}`);
const form = { client_id: ID, redirect_uri: REDIRECT_URI, code: back.searchParams.get('code') ?? '', code_verifier: verifier };
const answer = await fetch(`${API}/auth/token`, {
  method: 'POST',
  body: new URLSearchParams({ grant_type: 'authorization_code', ...form }),
});
const tokens = (await answer.json()) as { access_token: string; refresh_token: string };
// #endregion

// #region call
// Called before each request: refresh the tokens here when they are about to expire.
const mintrail = createClient({ baseUrl: API, accessToken: () => tokens.access_token });
const { name, profiles } = await mintrail.get('/auth/context');
console.log('done', name, profiles.length);
// #endregion
