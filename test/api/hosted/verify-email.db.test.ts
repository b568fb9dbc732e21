import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { registerApplication } from '../../../src/ledger/access/applications/register-application.ts';
import { recordSentMail } from '../../../src/ledger/accounts/mail-outbox.ts';
import { findUserByEmail } from '../../../src/ledger/access/users.ts';
import { createOAuthApi } from '../oauth/client.ts';
import { codeFor, mailsTo } from '../support/mails.ts';
import { createBrowser, password } from './browser.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';

const api = forWholeFile(createOAuthApi);
let clientId: string;
beforeAll(async () => void (clientId = await api.client()));

const newEmail = () => `${randomUUID()}@example.com`;
const registration = { kind: 'private' as const, name: 'Treasury', redirectUris: [], origins: [], permission: 'read' as const };

/** Lets the time pass for which all who ask for a code for an address get the same. */
const endShared = (ledger: Ledger, email: string) => sql`update mailed_codes set until = now() where recipient = ${email}`.execute(ledger);

/** What a worker does with the mails that wait for an address. */
async function sendMails(ledger: Ledger, email: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`update mails set attempts = 1 where recipient = ${email} returning id`.execute(ledger);
  for (const { id } of rows) await recordSentMail(ledger, id);
}

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
    await browser.submit(page, 'verify-email', { code: await codeFor(api, email) });
    expect(await findUserByEmail(api.ledger, email)).toMatchObject({ id: named?.id, name: 'Jane', defaultProfile: expect.any(String) });
  });

  it('may be wrong four times, and is void after the fifth', async () => {
    const { browser, email, page } = await atVerification();
    const code = await codeFor(api, email);
    const wrong = code === '000000000000' ? '111111111111' : '000000000000';
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

  it('is in another mail again within a quarter of an hour, and is void when a later one has another', async () => {
    const { browser, email, page } = await atVerification();
    const first = await codeFor(api, email);
    await sendMails(api.ledger, email);
    const again = await browser.submit(page, 'verify-email', { again: 'yes' });
    expect(await codeFor(api, email)).toBe(first);
    await sendMails(api.ledger, email);
    await browser.submit(page, 'verify-email', { again: 'yes' });
    expect(await mailsTo(api, email)).toEqual([]);
    await endShared(api.ledger, email);
    await browser.submit(page, 'verify-email', { again: 'yes' });
    const second = await codeFor(api, email);
    expect(second).not.toBe(first);
    expect((await browser.submit(again, 'verify-email', { code: first })).html).toContain('The code is wrong.');
    expect((await browser.submit(again, 'verify-email', { code: second })).url.pathname).toBe('/authorize/consent');
  });

  it('is nowhere in the database in the clear', async () => {
    const { email } = await atVerification();
    const code = await codeFor(api, email);
    for (const table of ['email_codes', 'mailed_codes', 'mails', 'audit_log']) {
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
    expect((await mailsTo(api, email))[0]).toEqual({ kind: 'account-exists' });
    expect(await mailsTo(api, email.toUpperCase())).toEqual([]);
    expect((await known.browser.submit(known.page, 'verify-email', { code: '123456789012' })).html).toContain('The code is wrong.');
  });
});

const from = (network: string) => ({ 'X-Forwarded-For': network });

describe('strangers who ask for codes', () => {
  const newcomersNetwork = '2001:db8:1::1';
  const endWait = () =>
    sql`update sign_in_tries set blocked_until = blocked_until - interval '2 minutes' where subject like 'browser %'`.execute(
      proxied.ledger,
    );
  const proxied = forWholeFile(() => createOAuthApi({ TRUST_PROXY: '1' }));
  /** Each pause of a network address that is over begins another at the next request, so on a slow machine there may be a moment between two. */
  const pauseGoesOn = () =>
    sql`update sign_in_tries set blocked_until = now() + interval '1 hour', until = now() + interval '1 hour' where subject like 'source mail %' and tries >= 50`.execute(
      proxied.ledger,
    );
  const ask = async (email: string, network: string, browser = createBrowser(proxied)) =>
    browser.submit(await browser.come('/sign-up'), 'sign-up', { name: 'Jane', email, password }, from(network));
  /** More than a network address may ask for. A code for a new password costs less than a sign-up, and counts as much. */
  const flooded = new Set<string>();
  const flood = async (email: string, network: string) => {
    for (let tries = flooded.has(network) ? 60 : 0; tries < 60; tries++) {
      const browser = createBrowser(proxied);
      await browser.submit(await browser.come('/reset-password'), 'reset-password', { email }, from(network));
    }
    flooded.add(network);
    await pauseGoesOn();
  };

  it.each(['earlier', 'later'])(
    'from many networks, also the own one, keep no code from a browser that began %s, which waits for two minutes once',
    async (when) => {
      const email = newEmail();
      const newcomer = createBrowser(proxied);
      const form = when === 'earlier' ? await newcomer.come('/sign-up') : undefined;
      for (let network = 1; network <= 8; network++) await ask(email, `2001:db8:0:${network}::1`);
      await flood(newEmail(), newcomersNetwork);
      const signUp = async () =>
        newcomer.submit(form ?? (await newcomer.come('/sign-up')), 'sign-up', { name: 'Jane', email, password }, from(newcomersNetwork));
      expect((await signUp()).html).toMatch(/Too many attempts. Wait (2 minutes|[0-9]+ seconds) and try again/);
      // Others who go on meanwhile change nothing, from browsers whose wait is over or not.
      const stranger = createBrowser(proxied);
      await ask(email, newcomersNetwork, stranger);
      await endWait();
      expect((await ask(email, newcomersNetwork, stranger)).url.pathname).toBe('/account/verify-email');
      for (let tries = 0; tries < 5; tries++) await ask(email, newcomersNetwork);

      const verification = await signUp();
      expect(verification.url.pathname).toBe('/account/verify-email');
      expect(await mailsTo(proxied, email)).toHaveLength(1);
      const code = await codeFor(proxied, email);
      const welcomed = await newcomer.submit(verification, 'verify-email', { code });
      expect(welcomed.url.pathname).toBe('/account/details');
      // The strangers' own ends with it, whoever reads the mail afterwards; they see no difference until it is too old.
      const looked = await stranger.come('/verify-email');
      expect([looked.status, looked.html.includes('Check your mail')]).toEqual([200, true]);
      expect((await stranger.submit(looked, 'verify-email', { code })).html).toContain('The code is wrong.');
      expect(await findUserByEmail(proxied.ledger, email)).toMatchObject({ name: 'Jane' });
    },
  );

  it('from all networks of a site have 200 mails there that wait, and take no turn of others, nor of the owner on a browser of theirs', async () => {
    const owner = createBrowser(proxied);
    const { email } = await owner.signUp(await proxied.client());
    owner.cookies.delete('session');
    await sql`insert into mails (id, recipient, content, expires_at, network, turn)
      select gen_random_uuid(), 'x@example.com', '', now() + interval '1 hour', '2001:db8:77::/48', n from generate_series(1, 200) n`.execute(
      proxied.ledger,
    );
    const refused = await ask(newEmail(), '2001:db8:77:1::1');
    expect([refused.status, refused.html.includes('Try again in a minute')]).toEqual([429, true]);
    const elsewhere = newEmail();
    expect((await ask(elsewhere, '2001:db8:78:1::1')).url.pathname).toBe('/account/verify-email');
    const reset = await owner.submit(await owner.come('/reset-password'), 'reset-password', { email }, from('2001:db8:77:2::1'));
    expect(reset.url.pathname).toBe('/account/new-password');
    const mails = proxied.ledger.selectFrom('mails').where('recipient', 'in', [elsewhere, email]).select(['network', 'turn']);
    expect(await mails.orderBy('createdAt', 'desc').limit(2).execute()).toEqual([
      { network: null, turn: 0 },
      { network: '2001:db8:78::/48', turn: 1 },
    ]);
  });

  it('from a site whose mails wait, have nobody wait for their turns by asking first, and neither does an outbox that is full of theirs', async () => {
    const owner = createBrowser(proxied);
    const known = (await owner.signUp(await proxied.client())).email;
    owner.cookies.delete('session');
    await proxied.ledger.deleteFrom('mails').execute();
    const newcomer = newEmail();
    const backlog = async (sites: number, turns: number) =>
      sql`insert into mails (id, recipient, content, expires_at, network, turn)
        select gen_random_uuid(), 'x@example.com', '', now() + interval '1 hour', '2001:db8:' || site || '::/48', turn
        from generate_series(101, 100 + ${sites}::integer) site, generate_series(1, ${turns}::integer) turn`.execute(proxied.ledger);
    const reset = async (network: string, browser = createBrowser(proxied)) =>
      browser.submit(await browser.come('/reset-password'), 'reset-password', { email: known }, from(network));
    const turnsOf = async (email: string) =>
      (await proxied.ledger.selectFrom('mails').where('recipient', '=', email).orderBy('turn').select('turn').execute()).map(
        ({ turn }) => turn,
      );
    await backlog(50, 198);
    for (const stranger of ['2001:db8:101:1::1', '2001:db8:101:2::1']) {
      await ask(newcomer, stranger);
      await reset(stranger);
    }
    expect(await turnsOf(newcomer)).toEqual([199]);
    expect(await turnsOf(known)).toEqual([200]);
    expect((await ask(newcomer, '2001:db8:7:1::1')).url.pathname).toBe('/account/verify-email');
    expect((await reset('2001:db8:101:3::1', owner)).url.pathname).toBe('/account/new-password');
    expect([await turnsOf(newcomer), await turnsOf(known)]).toEqual([[1], [0]]);
    // A stranger who asks again does not put it off.
    await ask(newcomer, '2001:db8:102:1::1');
    expect(await turnsOf(newcomer)).toEqual([1]);

    // What gives way in a full outbox is not counted: who asks again gets another.
    const displaced = newEmail();
    for (const stranger of ['2001:db8:101:4::1', '2001:db8:101:5::1']) await ask(displaced, stranger);
    await sql`insert into mails (id, recipient, content, expires_at, network, turn)
      select gen_random_uuid(), 'x@example.com', '', now() + interval '1 hour', '2001:db8:200::/48', 9
      from generate_series((select count(*) from mails), 10000)`.execute(proxied.ledger);
    await ask(newEmail(), '2001:db8:8:1::1');
    expect(await turnsOf(displaced)).toEqual([]);
    await ask(displaced, '2001:db8:8:2::1');
    expect(await turnsOf(displaced)).toEqual([2]);
    await proxied.ledger.deleteFrom('mails').execute();
  });

  it('from one network address keep nobody elsewhere waiting, nor the owner on a browser of theirs', async () => {
    const owner = createBrowser(proxied);
    const { email } = await owner.signUp(await proxied.client());
    owner.cookies.delete('session');
    await flood(email, newcomersNetwork);
    expect((await ask(email, newcomersNetwork)).status).toBe(429);
    expect((await ask(email, '192.0.2.7')).url.pathname).toBe('/account/verify-email');
    const reset = await owner.submit(await owner.come('/reset-password'), 'reset-password', { email }, from(newcomersNetwork));
    expect(reset.url.pathname).toBe('/account/new-password');
  });
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
