// Signs the user in by an authorization code with PKCE (docs/api.md, Authorization endpoint). A page keeps no secret: the verifier of
// a request proves that the code came back to the page that asked for it. Tokens stay in memory: after a reload the user signs in again, which
// takes one click while their session at the service lasts.
import { api, clientId } from './settings.js';

const redirectUri = `${location.origin}${location.pathname}`;

/** Seconds before its end at which an access token is renewed. */
const renewalMargin = 60;

let tokens;
let renewal;

/** Sends the user to the service's own pages, which send them back here. */
export async function signIn() {
  const [state, verifier] = [randomText(), randomText()];
  sessionStorage.setItem('request', JSON.stringify({ state, verifier }));
  const query = {
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: await sha256(verifier),
    code_challenge_method: 'S256',
  };
  location.assign(`${api}/auth?${new URLSearchParams(query)}`);
}

/** Takes up the code with which the user came back. Returns whether somebody is signed in. */
export async function completeSignIn() {
  const answer = new URLSearchParams(location.search);
  const request = JSON.parse(sessionStorage.getItem('request') ?? 'null');
  if (!answer.has('state') || request === null) return false;
  sessionStorage.removeItem('request');
  // The code is used once: a reload must not send it again.
  history.replaceState(null, '', redirectUri);
  if (answer.get('state') !== request.state) throw new Error('This answer belongs to another request. Sign in again.');
  if (answer.has('error')) throw new Error(answer.get('error_description') ?? answer.get('error'));
  const grant = { grant_type: 'authorization_code', code: answer.get('code'), code_verifier: request.verifier, redirect_uri: redirectUri };
  tokens = await requestTokens(grant);
  return true;
}

/** An access token that is still valid, for the client. */
export async function accessToken() {
  if (Date.now() < tokens.renewAt) return tokens.access_token;
  renewal ??= requestTokens({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token }).finally(() => (renewal = undefined));
  tokens = await renewal;
  return tokens.access_token;
}

async function requestTokens(grant) {
  const response = await fetch(`${api}/auth/token`, { method: 'POST', body: new URLSearchParams({ ...grant, client_id: clientId }) });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error_description ?? body.message);
  return { ...body, renewAt: Date.now() + (body.expires_in - renewalMargin) * 1_000 };
}

function randomText() {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

async function sha256(text) {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
}

function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
