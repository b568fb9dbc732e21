import { randomBytes } from 'node:crypto';
import { type OAuthApi, pkce, redirectUri } from '../oauth/client.ts';
import { codeFor } from '../support/mails.ts';

export const password = 'correct horse battery staple';

export interface Shown {
  status: number;
  /** Where it ended, with all redirects within the pages followed. */
  url: URL;
  headers: Headers;
  html: string;
}

/** A browser without JavaScript: it keeps cookies, follows redirects and sends forms as they stand on a page. */
export function createBrowser(api: Pick<OAuthApi, 'url' | 'ledger' | 'settings'>) {
  const cookies = new Map<string, string>();

  const visit = async (
    url: URL,
    init: { method?: string; body?: URLSearchParams | FormData; headers?: Record<string, string> } = {},
  ): Promise<Shown> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, ...(cookie === '' ? {} : { cookie }) } });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      cookies.set(name, value);
    }
    const location = response.headers.get('Location');
    if (location === null) return { status: response.status, url, headers: response.headers, html: await response.text() };
    const target = new URL(location, url);
    // A client's page is none of ours: the browser stops there.
    if (target.host !== url.host) return { status: response.status, url: target, headers: response.headers, html: '' };
    return visit(target, response.status === 307 ? init : {});
  };

  /** Sends the form of a page that leads to `action`, with what a user fills in; a list for several choices. */
  const submit = (page: Shown, action: string, fields: Record<string, string | string[]>, headers: Record<string, string> = {}) => {
    const { csrf, url } = formOf(page, action);
    const body = new URLSearchParams({ csrf });
    for (const [name, value] of Object.entries(fields))
      for (const text of [value].flat()) {
        if (name === 'csrf') body.set(name, text);
        else body.append(name, text);
      }
    return visit(url, { method: 'POST', body, headers: { Origin: api.url, ...headers } });
  };

  /** The same, for a form with files. A file of no bytes and no name stands for one that was not chosen. */
  const upload = (page: Shown, action: string, fields: Record<string, string>, files: [string, File][]) => {
    const { csrf, url } = formOf(page, action);
    const body = new FormData();
    for (const [name, text] of Object.entries({ csrf, ...fields })) body.append(name, text);
    for (const [name, file] of files) body.append(name, file);
    return visit(url, { method: 'POST', body, headers: { Origin: api.url } });
  };

  /** Comes from a client's request for authorization. */
  const arrive = async (clientId: string, more: Record<string, string> = {}) => {
    const { challenge, verifier } = await pkce();
    const query = new URLSearchParams({ client_id: clientId, code_challenge: challenge, state: 's', skip_kyc: 'true', ...more });
    const page = await visit(new URL(`${api.url}/auth?${query.toString()}`));
    return { page, verifier };
  };

  const signUp = async (clientId: string, name = 'Jane Doe') => {
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    const { page, verifier } = await arrive(clientId, { auth_mode: 'signup' });
    return { email, verifier, page: await signUpOn(page, email, name) };
  };

  /** Fills in the page of a sign-up, and the code that is mailed. */
  const signUpOn = async (page: Shown, email: string, name = 'Jane') => {
    const verification = await submit(page, 'sign-up', { name, email, password });
    return submit(verification, 'verify-email', { code: await codeFor(api, email) });
  };

  /** Comes by oneself to a page of the account, without an application. */
  const come = (page = '') => visit(new URL(`${api.url}/account${page}`));

  return { cookies, visit, submit, upload, arrive, signUp, signUpOn, come };
}

/** The form of a page that leads to `action`: its address and its token. */
function formOf(page: Shown, action: string) {
  const form = [...page.html.matchAll(/<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)].find(([, to]) => to?.startsWith(action));
  if (!form) throw new Error(`no form to ${action} on ${page.url.pathname}: ${page.html}`);
  const [, to = '', content = ''] = form;
  const csrf = /name="csrf"\s+value="([^"]*)"/.exec(content)?.[1] ?? '';
  return { csrf, url: new URL(to.replaceAll('&amp;', '&'), page.url) };
}

export async function exchange(api: OAuthApi, clientId: string, back: URL, verifier: string, to = redirectUri) {
  const response = await api.form('/auth/token', {
    grant_type: 'authorization_code',
    client_id: clientId,
    code: back.searchParams.get('code') ?? '',
    code_verifier: verifier,
    redirect_uri: to,
  });
  return (await response.json()) as { access_token: string; refresh_token: string; profile: string; userId: string };
}
