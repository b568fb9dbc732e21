import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { registerApplication } from '../../../src/ledger/access/application-registration.ts';
import { findUserByEmail } from '../../../src/ledger/access/users.ts';
import { createOAuthApi } from '../oauth/client.ts';
import { codeFor, mailsTo } from '../support/mails.ts';
import { createBrowser, password } from './browser.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createOAuthApi);
let clientId: string;
beforeAll(async () => void (clientId = await api.client()));

const newEmail = () => `${randomUUID()}@example.com`;
const registration = { kind: 'private' as const, name: 'Treasury', redirectUris: [], origins: [], permission: 'read' as const };

/** A browser after the form of a sign-up, before the code. */
async function atVerification(email = newEmail()) {
  const browser = createBrowser(api);
  const { page } = await browser.arrive(clientId, { auth_mode: 'signup' });
  return { browser, email, page: await browser.submit(page, 'sign-up', { name: 'Jane', email, password }) };
}

describe('whoever signs up with the address of somebody else', () => {
  it('is nobody: an application that an operator gives to its owner is not theirs', async () => {
    const email = newEmail();
    const squatter = createBrowser(api);
    const { page } = await squatter.arrive(clientId, { auth_mode: 'signup' });
    await squatter.submit(page, 'sign-up', { name: 'Eve', email, password });
    const application = await registerApplication(api.ledger, { ...registration, owner: email }, 'sandbox');
    expect(application.isNewOwner).toBe(true);
    expect((await squatter.arrive(clientId, { auth_mode: 'login' })).page.url.pathname).toBe('/authorize/sign-in');
    const { page: signIn } = await squatter.arrive(clientId, { auth_mode: 'login' });
    expect((await squatter.submit(signIn, 'sign-in', { email, password })).status).toBe(400);
  });
});

describe('the code of a sign-up', () => {
  it('makes the user with a profile, in the browser that asked for it, and is good once', async () => {
    const { browser, email, page } = await atVerification();
    expect(page.url.pathname).toBe('/authorize/verify-email');
    expect(page.html).toContain(email);
    expect(await findUserByEmail(api.ledger, email)).toBeUndefined();
    const code = await codeFor(api, email);
    const other = createBrowser(api);
    other.cookies.set('session', 'A'.repeat(43));
    expect((await other.visit(page.url)).status).toBe(400);
    const signedIn = await browser.submit(page, 'verify-email', { code: `${code.slice(0, 4)} ${code.slice(4)}` });
    expect(signedIn.url.pathname).toBe('/authorize/consent');
    const user = await findUserByEmail(api.ledger, email);
    expect(user).toMatchObject({ name: 'Jane', emailVerifiedAt: expect.any(Date), defaultProfile: expect.any(String) });
    expect((await browser.visit(page.url)).html).toContain('No code is valid here any more');
  });

  it('completes the user whom an operator named as an owner before', async () => {
    const email = newEmail();
    await registerApplication(api.ledger, { ...registration, owner: email }, 'sandbox');
    const named = await findUserByEmail(api.ledger, email);
    const { browser, page } = await atVerification(email.toUpperCase());
    await browser.submit(page, 'verify-email', { code: await codeFor(api, email.toUpperCase()) });
    expect(await findUserByEmail(api.ledger, email)).toMatchObject({ id: named?.id, name: 'Jane', defaultProfile: expect.any(String) });
  });

  it('may be wrong four times, and is void after the fifth', async () => {
    const { browser, email, page } = await atVerification();
    const code = await codeFor(api, email);
    const wrong = code === '00000000' ? '11111111' : '00000000';
    for (let count = 0; count < 4; count++) {
      const again = await browser.submit(page, 'verify-email', { code: wrong });
      expect([again.status, again.html.includes('The code is wrong.')]).toEqual([400, true]);
    }
    expect((await browser.submit(page, 'verify-email', { code: wrong })).html).toContain('No code is valid here any more');
    expect((await browser.submit(page, 'verify-email', { code })).html).toContain('No code is valid here any more');
    expect(await findUserByEmail(api.ledger, email)).toBeUndefined();
  });

  it('ends after half an hour', async () => {
    const { browser, email, page } = await atVerification();
    await sql`update email_codes set expires_at = now() where email = ${email}`.execute(api.ledger);
    const late = await browser.submit(page, 'verify-email', { code: await codeFor(api, email) });
    expect(late.html).toContain('No code is valid here any more');
  });

  it('is void when another one is sent', async () => {
    const { browser, email, page } = await atVerification();
    const first = await codeFor(api, email);
    const again = await browser.submit(page, 'verify-email', { again: 'yes' });
    const second = await codeFor(api, email);
    expect((await browser.submit(again, 'verify-email', { code: first })).html).toContain('The code is wrong.');
    expect((await browser.submit(again, 'verify-email', { code: second })).url.pathname).toBe('/authorize/consent');
  });

  it('is nowhere in the database in the clear', async () => {
    const { email } = await atVerification();
    const code = await codeFor(api, email);
    for (const table of ['email_codes', 'mails', 'audit_log']) {
      const { rows } = await sql<{
        text: string;
      }>`select coalesce(string_agg(t::text, ' '), '') as text from ${sql.table(table)} t`.execute(api.ledger);
      expect(rows[0]?.text).not.toContain(code);
    }
  });
});

describe('an address that has an account', () => {
  it('is shown the same page as any other, and its owner learns of the attempt by mail', async () => {
    const { email } = await createBrowser(api).signUp(clientId);
    const known = await atVerification(email.toUpperCase());
    const unknown = await atVerification();
    const text = ({ page, email: address }: typeof known) => page.html.replaceAll(address, '').replaceAll(/value="[^"]*"|\?[^"]*/g, '');
    expect(known.page.status).toBe(unknown.page.status);
    expect(text({ ...known, email: email.toUpperCase() })).toBe(text(unknown));
    expect(await mailsTo(api, email.toUpperCase())).toEqual([{ kind: 'account-exists' }]);
    expect((await known.browser.submit(known.page, 'verify-email', { code: '12345678' })).html).toContain('The code is wrong.');
  });

  it('is mailed fifty times a day, and then hardly by strangers, while its owner still is on a browser of theirs', async () => {
    const owner = createBrowser(api);
    const { email } = await owner.signUp(clientId);
    await sql`insert into sign_in_tries (subject, tries, until, blocked_until)
      values (${`recipient ${email}`}, 50, now() + interval '1 day', now() + interval '1 hour')
      on conflict (subject) do update set tries = 50, blocked_until = excluded.blocked_until`.execute(api.ledger);
    const stranger = createBrowser(api);
    expect((await stranger.submit(await stranger.come('/reset-password'), 'reset-password', { email })).status).toBe(429);
    owner.cookies.delete('session');
    const asked = await owner.submit(await owner.come('/reset-password'), 'reset-password', { email });
    expect(asked.url.pathname).toBe('/account/new-password');
  });
});

it('mails that one network address asks for keep nobody else from signing up or resetting', async () => {
  const proxied = await createOAuthApi({ TRUST_PROXY: '1' });
  const email = 'named@example.com';
  const ask = async (page: 'reset-password' | 'sign-up', fields: Record<string, string>, network: string) => {
    const browser = createBrowser(proxied);
    return (await browser.submit(await browser.come(`/${page}`), page, { email, ...fields }, { 'X-Forwarded-For': network })).status;
  };
  const stranger: number[] = [];
  for (let tries = 0; tries < 20; tries++) stranger.push(await ask('reset-password', {}, '192.0.2.66'));
  expect(stranger.filter((status) => status === 200)).toHaveLength(5);
  expect(await ask('reset-password', {}, '192.0.2.7')).toBe(200);
  expect(await ask('sign-up', { name: 'Jane', password }, '192.0.2.7')).toBe(200);
  await proxied.close();
});

it('mails that many network addresses ask for make a newcomer wait, for two minutes, and then prevent none', async () => {
  const proxied = await createOAuthApi({ TRUST_PROXY: '1' });
  const email = newEmail();
  const stranger = createBrowser(proxied);
  const ask = async (network: string) =>
    (await stranger.submit(await stranger.come('/reset-password'), 'reset-password', { email }, { 'X-Forwarded-For': network })).status;
  const flood: number[] = [];
  for (let network = 1; network <= 16; network++)
    for (let tries = 0; tries < 5; tries++) flood.push(await ask(`2001:db8:0:${network}::${tries}`));
  expect(flood).toContain(429);

  const newcomer = createBrowser(proxied);
  const signUp = async () => {
    const form = await newcomer.come('/sign-up');
    return newcomer.submit(form, 'sign-up', { name: 'Jane', email, password }, { 'X-Forwarded-For': '2001:db8:1::1' });
  };
  expect((await signUp()).status).toBe(429);
  await sql`update sign_in_tries set blocked_until = blocked_until - interval '2 minutes' where subject like 'crowd %'`.execute(
    proxied.ledger,
  );
  const verification = await signUp();
  expect(verification.url.pathname).toBe('/account/verify-email');
  const welcomed = await newcomer.submit(verification, 'verify-email', { code: await codeFor(proxied, email) });
  expect(welcomed.url.pathname).toBe('/account/details');
  await proxied.close();
});

describe('a new password', () => {
  it.each(['password1234', 'Monkey123456', 'abcabcabcabc', 'Mintrail2026!', 'jane.miller99', '1qaz2wsx3edc'])(
    '%s is refused: it is guessed first',
    async (guessable) => {
      const browser = createBrowser(api);
      const form = await browser.come('/sign-up');
      const refused = await browser.submit(form, 'sign-up', { name: 'Jane Miller', email: 'jane.miller@example.com', password: guessable });
      expect(refused.status).toBe(400);
      expect(refused.html).toContain('Password is among the first that anybody guesses');
    },
  );
});

it('without a mail server nobody signs up or resets a password, and the page says why', async () => {
  const production = await createOAuthApi({ MINTRAIL_ENVIRONMENT: 'production' });
  const browser = createBrowser(production);
  for (const [page, fields] of [
    ['sign-up', { name: 'Jane', email: newEmail(), password }],
    ['reset-password', { email: newEmail() }],
  ] as const) {
    const refused = await browser.submit(await browser.come(`/${page}`), page, fields);
    expect(refused.status).toBe(503);
    expect(refused.html).toContain('The operator has not configured mail (SMTP_URL)');
  }
  await production.close();
});
