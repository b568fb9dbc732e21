import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, exchange } from './browser.ts';
import { createOAuthApi, pkce, redirectUri } from '../oauth/client.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createOAuthApi);
let clientId: string;
beforeAll(async () => void (clientId = await api.client()));

describe('without JavaScript', () => {
  it('a new user signs up, allows the application, and the application gets a code for them', async () => {
    const browser = createBrowser(api);
    const { page, email, verifier } = await browser.signUp(clientId);
    expect(page.url.pathname).toBe('/authorize/consent');
    expect(page.html).toContain('<strong>Corner Shop</strong> asks for access to your account.');
    expect(page.html).toContain('It cannot change anything or move money.');
    expect(page.html).toContain('href="https://shop.example/privacy"');

    const back = await browser.submit(page, 'consent', { decision: 'allow' });
    expect(back.url.href.startsWith(`${redirectUri}?`)).toBe(true);
    expect(back.url.searchParams.get('state')).toBe('s');
    const granted = await exchange(api, clientId, back.url, verifier);
    const context = await fetch(`${api.url}/auth/context`, { headers: { Authorization: `Bearer ${granted.access_token}` } });
    expect(await context.json()).toMatchObject({
      userId: granted.userId,
      email,
      name: 'Jane Doe',
      auth: { method: 'password', subject: email },
      defaultProfile: granted.profile,
      profiles: [{ id: granted.profile, kind: 'personal', name: 'Jane Doe', perms: ['read'] }],
    });
  });

  it('a browser that is posted here by a client gets the first page', async () => {
    const browser = createBrowser(api);
    const { challenge } = await pkce();
    const page = await browser.visit(new URL(`${api.url}/auth`), {
      method: 'POST',
      body: new URLSearchParams({ client_id: clientId, code_challenge: challenge }),
      headers: { Origin: 'https://shop.example' },
    });
    expect(page.url.pathname).toBe('/authorize/start');
    expect(page.html).toContain('Create an account');
  });

  it('the first page is the choice, sign-in or sign-up, with the address that the client suggests', async () => {
    const { page } = await createBrowser(api).arrive(clientId);
    expect(page.url.pathname).toBe('/authorize/start');
    const login = await createBrowser(api).arrive(clientId, { auth_mode: 'login', email: 'jane@example.com' });
    expect(login.page.html).toContain('value="jane@example.com"');
    const signup = await createBrowser(api).arrive(clientId, { auth_mode: 'signup', email: 'true' });
    expect(signup.page.html).toContain('<h1>Create an account</h1>');
    expect(signup.page.html).not.toContain('value="true"');
  });

  it('what is wrong with a form is said beside its fields, which keep what was typed, but no password', async () => {
    const browser = createBrowser(api);
    const { page } = await browser.arrive(clientId, { auth_mode: 'signup' });
    const again = await browser.submit(page, 'sign-up', { name: ' ', email: 'nobody', password: 'short' });
    expect(again.status).toBe(400);
    expect(again.html).toContain('Your name is required');
    expect(again.html).toContain('Email address must be an email address, such as name@example.com');
    expect(again.html).toContain('Password must be at least 12 characters long');
    expect(again.html).toContain('value="nobody"');
    expect(again.html).toContain('aria-invalid="true"');
    expect(again.html).not.toContain('short"');
  });
});

describe('a session', () => {
  it('takes a new secret at sign-in, is kept as a hash, and ends at sign-out', async () => {
    const browser = createBrowser(api);
    const { page } = await browser.arrive(clientId, { auth_mode: 'signup' });
    const before = browser.cookies.get('session');
    const email = `${crypto.randomUUID()}@example.com`;
    const consent = await browser.signUpOn(page, email);
    const secret = browser.cookies.get('session') ?? '';
    expect(secret).not.toBe(before);
    const { rows } = await sql<{ text: string }>`select string_agg(s::text, '') as text from sessions s`.execute(api.ledger);
    expect(rows[0]?.text).not.toContain(Buffer.from(secret, 'base64url').toString('hex'));

    const out = await browser.submit(consent, 'sign-out', {});
    expect(out.url.pathname).toBe('/authorize/sign-in');
    browser.cookies.set('session', secret);
    expect((await browser.visit(consent.url)).url.pathname).toBe('/authorize/sign-in');
  });

  it('has a cookie that no script reads and no other site sends with a form', async () => {
    const response = await fetch((await createBrowser(api).arrive(clientId)).page.url);
    expect(response.headers.getSetCookie()[0]).toMatch(/^session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it('has a cookie for secure connections alone when the service is reached by https', async () => {
    const secure = await createOAuthApi({ BASE_URL: 'https://money.example' });
    const id = await secure.client();
    const url = `${secure.url}/authorize/start?client_id=${id}&code_challenge=${'a'.repeat(43)}`;
    expect((await fetch(url)).headers.getSetCookie()[0]).toMatch(/^__Host-session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    await secure.close();
  });
});

describe('a form', () => {
  it('is refused that another site sends, that has no token of this browser, or whose browser was signed out meanwhile', async () => {
    const browser = createBrowser(api);
    const { page } = await browser.signUp(clientId);
    const send = (fields: Record<string, string> = {}, headers = {}) =>
      browser.submit(page, 'consent', { decision: 'allow', ...fields }, headers);
    const foreign = await send({}, { Origin: 'https://evil.example' });
    const told = expect.stringContaining('This form came from another site and was not accepted.') as string;
    expect([foreign.status, foreign.url.host, foreign.html]).toEqual([403, new URL(api.url).host, told]);
    const invalid = expect.stringContaining('This form is no longer valid') as string;
    for (const csrf of ['', 'x', 'A'.repeat(43)]) expect(await send({ csrf })).toMatchObject({ status: 403, html: invalid });
    browser.cookies.clear();
    expect((await send()).status).toBe(403);
  });

  it('is posted: another method is 405, whoever sends it', async () => {
    for (const [method, path] of [
      ['PUT', 'consent'],
      ['POST', 'pages.css'],
    ] as const) {
      const answer = await fetch(`${api.url}/authorize/${path}`, { method, headers: { 'Sec-Fetch-Site': 'cross-site' } });
      expect([answer.status, answer.headers.get('Allow')]).toEqual([405, method === 'PUT' ? 'GET, HEAD, POST' : 'GET, HEAD']);
    }
  });
});

describe('a page', () => {
  it('shows names as text, whatever is in them', async () => {
    const nasty = `<img src=x onerror=alert(1)>"'&`;
    const id = await api.client({ name: nasty });
    const browser = createBrowser(api);
    const { page } = await browser.signUp(id, nasty);
    expect(page.html).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;');
    expect(page.html).not.toContain('<img');
    const again = await browser.arrive(id, { state: '"><script>alert(1)</script>', email: '"><script>alert(1)</script>@a.example' });
    expect(again.page.url.pathname).toBe('/authorize/consent');
    expect(again.page.html).not.toContain('<script>');
  });

  it('may run no script, be framed nowhere, and lead nowhere but back to the client', async () => {
    const { page } = await createBrowser(api).arrive(clientId);
    expect(page.headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self' https://shop.example; base-uri 'none'; frame-ancestors 'none'",
    );
    expect([page.headers.get('Cache-Control'), page.headers.get('X-Frame-Options')]).toEqual(['no-store', 'DENY']);
    expect(page.html).not.toMatch(/<script|<style| style=| on\w+=/);
  });

  it('names all of what starts an app on a phone, and leads back to it', async () => {
    const app = 'com.example.app:/back';
    const [id, browser] = [await api.client({ redirectUris: [app] }), createBrowser(api)];
    const { page, verifier } = await browser.signUp(id);
    expect(page.headers.get('Content-Security-Policy')).toContain("form-action 'self' com.example.app:;");
    expect(page.html).toContain(`You will be sent to <span class="address">${app}</span>`);
    const { url } = await browser.submit(page, 'consent', { decision: 'allow' });
    expect(await exchange(api, id, url, verifier, app)).toHaveProperty('access_token');
  });

  it('for an unknown client is an error page, and leads nowhere', async () => {
    const url = new URL(`${api.url}/authorize/start?client_id=${crypto.randomUUID()}&redirect_uri=https://evil.example`);
    const { status, html } = await createBrowser(api).visit(url);
    expect(status).toBe(400);
    expect(html).toContain('That did not work');
    expect(html).not.toContain('evil.example');
  });
});

describe('a person who comes without an application', () => {
  it('signs up, may leave what comes next for later, and finds the account again after signing in', async () => {
    const browser = createBrowser(api);
    const start = await browser.come();
    expect(start.url.pathname).toBe('/account/start');
    expect(start.html).toContain('href="sign-up"');
    const email = `${crypto.randomUUID()}@example.com`;
    const details = await browser.signUpOn(await browser.come('/sign-up'), email);
    expect(details.url.pathname).toBe('/account/details');
    const overview = await browser.come('/overview');
    expect(overview.html).toContain('<h1>Jane</h1>');
    expect(overview.html).toContain('href="details"');
    const out = await browser.submit(overview, 'sign-out', {});
    expect(out.url.pathname).toBe('/account/sign-in');
    expect((await browser.come('/overview')).url.pathname).toBe('/account/sign-in');
  });

  it('is shown no page of an application, and sends forms nowhere else', async () => {
    const browser = createBrowser(api);
    const missing = await browser.come('/consent');
    expect([missing.status, missing.html]).toEqual([404, expect.stringContaining('There is no such page.')]);
    expect((await browser.come('/')).url.pathname).toBe('/account/start');
    expect((await browser.come('/kind')).url.pathname).toBe('/account/sign-in');
    const { headers } = await browser.come('/sign-in');
    expect(headers.get('Content-Security-Policy')).toContain("form-action 'self';");
  });
});
