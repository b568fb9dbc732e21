import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';
import { resetFactors } from '../../../src/ledger/access/factors/second-factors.ts';
import { findUserByEmail } from '../../../src/ledger/access/users.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { createAuthenticator } from '../../support/authenticator.ts';
import { createOAuthApi } from '../oauth/client.ts';
import { codeFor, mailsTo } from '../support/mails.ts';
import { createBrowser, exchange, password, type Shown } from './browser.ts';
import { earlyInTotpStep } from '../../support/totp-step.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';
import { untilWaiting } from '../../support/waiting-for-locks.ts';

const api = forWholeFile(createOAuthApi);
let clientId: string;
beforeAll(async () => void (clientId = await api.client()));

type Browser = ReturnType<typeof createBrowser>;

/** The options that a page's script gives to the browser. */
function optionsOn({ html, url }: Shown) {
  const [, json] = /data-options="([^"]*)"/.exec(html) ?? [];
  if (json === undefined) throw new Error(`no passkey is asked for on ${url.pathname}: ${html}`);
  return JSON.parse(json.replaceAll('&quot;', '"').replaceAll('&amp;', '&')) as { challenge: string; rp: { id: string }; rpId: string };
}

/** A signed-up user in a browser, without a factor. */
async function someone() {
  const browser = createBrowser(api);
  const { email, page, verifier } = await browser.signUp(clientId);
  const authenticator = createAuthenticator(api.url);
  const addPasskey = async () => {
    const form = await browser.come('/add-passkey');
    return browser.submit(form, 'add-passkey', { name: 'Phone', answer: authenticator.create(optionsOn(form)) });
  };
  /** Sets an app up at an earlier time step, so that the codes of this one are unused. */
  const addApp = async () => {
    const form = await browser.come('/authenticator');
    const [, seed = ''] = /class="address">([A-Z2-7 ]+)</.exec(form.html) ?? [];
    const totp = new TOTP({ secret: Secret.fromBase32(seed.replaceAll(' ', '')) });
    await earlyInTotpStep();
    const shown = await browser.submit(form, 'authenticator', { code: totp.generate({ timestamp: Date.now() - 30_000 }) });
    return { totp, shown };
  };
  return { browser, email, page, verifier, authenticator, addPasskey, addApp };
}

/** What follows the right password in a browser. */
async function enterPassword(browser: Browser, email: string): Promise<Shown> {
  const { page } = await browser.arrive(clientId, { auth_mode: 'login' });
  return browser.submit(page, 'sign-in', { email, password });
}

const codesOn = ({ html }: Shown) => [...html.matchAll(/<li>([a-z2-7-]{27})<\/li>/g)].map(([, code = '']) => code);
const ageProofs = () => sql`update sessions set proved_at = now() - interval '11 minutes'`.execute(api.ledger);
const endPauses = () => sql`delete from sign_in_tries`.execute(api.ledger);

describe('a passkey', () => {
  it('is added, and then signs in alone, for an application and for the account', async () => {
    const { addPasskey, authenticator } = await someone();
    expect(codesOn(await addPasskey())).toHaveLength(10);
    for (const path of ['authorize', 'account'] as const) {
      const other = createBrowser(api);
      const { page } = path === 'authorize' ? await other.arrive(clientId, { auth_mode: 'login' }) : { page: await other.come('/sign-in') };
      const link = /href="(passkey[^"]*)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
      const form = await other.visit(new URL(link, page.url));
      const done = await other.submit(form, 'passkey', { answer: authenticator.get(optionsOn(form)) });
      expect(done.url.pathname).toBe(path === 'authorize' ? '/authorize/consent' : '/account/details');
    }
  });

  it('is a second factor after the password', async () => {
    const { addPasskey, authenticator, email } = await someone();
    await addPasskey();
    const other = createBrowser(api);
    const factor = await enterPassword(other, email);
    expect(factor.url.pathname).toBe('/authorize/second-factor');
    expect((await other.come('/overview')).url.pathname).toBe('/account/sign-in');
    const wrong = await other.submit(factor, 'second-factor', { method: 'passkey', answer: '{}' });
    expect([wrong.status, wrong.url.pathname]).toEqual([400, '/authorize/second-factor']);
    const right = await other.submit(wrong, 'second-factor', { method: 'passkey', answer: authenticator.get(optionsOn(wrong)) });
    expect(right.url.pathname).toBe('/authorize/consent');
  });
});

describe('an authenticator app', () => {
  it('is activated by a right code alone, and asked for after the password', async () => {
    const { browser, email, addApp } = await someone();
    const form = await browser.come('/authenticator');
    expect(form.html).toContain('src="data:image/svg+xml;base64,');
    const wrong = await browser.submit(form, 'authenticator', { code: '000000' });
    expect(wrong.html).toContain('is not the one that the app shows now');
    expect((await enterPassword(createBrowser(api), email)).url.pathname).toBe('/authorize/consent');
    const { totp, shown } = await addApp();
    expect(codesOn(shown)).toHaveLength(10);
    const other = createBrowser(api);
    const factor = await enterPassword(other, email);
    expect(factor.html).not.toContain('data-options');
    const code = totp.generate();
    expect((await other.submit(factor, 'second-factor', { method: 'code', code })).url.pathname).toBe('/authorize/consent');
    const again = createBrowser(api);
    const second = await enterPassword(again, email);
    expect((await again.submit(second, 'second-factor', { method: 'code', code })).html).toContain('it was used before');
  });

  it('is removed, and its recovery codes, each of which stands in once, end with the last factor', async () => {
    const { browser, email, addApp } = await someone();
    const { shown } = await addApp();
    const [used = '', code = ''] = codesOn(shown);
    const use = async () => {
      const other = createBrowser(api);
      return other.submit(await enterPassword(other, email), 'second-factor', { method: 'recovery-code', recoveryCode: used });
    };
    expect((await use()).url.pathname).toBe('/authorize/consent');
    expect((await use()).html).toContain('it was used before');
    await browser.submit(await browser.come('/authenticator'), 'authenticator', { remove: 'yes' });
    expect((await enterPassword(createBrowser(api), email)).url.pathname).toBe('/authorize/consent');
    const later = (await addApp()).shown;
    expect(codesOn(later)).toHaveLength(10);
    expect(codesOn(later)).not.toContain(code);
  });
});

describe('wrong factors', () => {
  it('are counted apart from passwords, so that a right password resets nothing', async () => {
    const { addApp, email } = await someone();
    await addApp();
    await endPauses();
    const other = createBrowser(api);
    for (let tries = 0; tries < 5; tries += 1) {
      const factor = await enterPassword(other, email);
      expect((await other.submit(factor, 'second-factor', { method: 'code', code: '000000' })).status).toBe(400);
    }
    const factor = await enterPassword(other, email);
    const paused = await other.submit(factor, 'second-factor', { method: 'code', code: '000000' });
    expect([paused.status, paused.html]).toEqual([429, expect.stringContaining('Too many attempts')]);
  });

  it('of others do not lock the owner out of a known device, however many network addresses they come from', async () => {
    const { addApp, email, browser } = await someone();
    const { totp } = await addApp();
    await endPauses();
    await sql`insert into sign_in_tries (subject, tries, until, blocked_until)
      values (${`codes ${email}`}, 60, now() + interval '1 day', now() + interval '1 hour')`.execute(api.ledger);
    const other = createBrowser(api);
    const refused = await other.submit(await enterPassword(other, email), 'second-factor', { method: 'code', code: totp.generate() });
    expect(refused.status).toBe(429);
    browser.cookies.delete('session');
    const factor = await enterPassword(browser, email);
    const known = await browser.submit(factor, 'second-factor', { method: 'code', code: totp.generate() });
    expect(known.url.pathname).toBe('/authorize/consent');
  });

  it('are asked for after a reset of the password, and counted for the account however often there is one, also in the browser that resets it', async () => {
    const { addApp, email } = await someone();
    const { totp } = await addApp();
    await endPauses();
    await sql`insert into sign_in_tries (subject, tries, until) values (${`codes ${email}`}, 48, now() + interval '1 day')`.execute(
      api.ledger,
    );
    const thief = createBrowser(api);
    const enterCode = async (code: string) => {
      const asked = await thief.submit(await thief.come('/reset-password'), 'reset-password', { email });
      await thief.submit(asked, 'new-password', { code: await codeFor(api, email), password: 'four more words of mine' });
      const factor = await thief.submit(await thief.come('/sign-in'), 'sign-in', { email, password: 'four more words of mine' });
      expect(factor.url.pathname).toBe('/account/second-factor');
      expect((await thief.come('/overview')).url.pathname).toBe('/account/sign-in');
      return (await thief.submit(factor, 'second-factor', { method: 'code', code })).status;
    };
    expect([await enterCode('000000'), await enterCode('000000'), await enterCode(totp.generate())]).toEqual([400, 400, 429]);
  });

  it('give nothing without the password before, or ten minutes after it', async () => {
    const { addApp, email } = await someone();
    const { totp } = await addApp();
    const other = createBrowser(api);
    const factor = await enterPassword(other, email);
    await sql`update pending_sign_ins set expires_at = now()`.execute(api.ledger);
    const late = await other.submit(factor, 'second-factor', { method: 'code', code: totp.generate() });
    expect(late.url.pathname).toBe('/authorize/sign-in');
    expect((await createBrowser(api).visit(factor.url)).url.pathname).toBe('/authorize/sign-in');
  });
});

describe('a change of the factors', () => {
  it('needs the password or a factor of the last ten minutes', async () => {
    const { browser, addPasskey, addApp, authenticator } = await someone();
    await addPasskey();
    await addApp();
    for (const page of ['add-passkey', 'authenticator', 'recovery-codes']) {
      await ageProofs();
      const prove = await browser.come(`/${page}`);
      expect(prove.url.pathname + prove.url.search).toBe(`/account/prove?next=${page}`);
      const wrong = await browser.submit(prove, 'prove', { next: page, password: 'wrong' });
      expect(wrong.html).toContain('The password is wrong.');
      const proof = { method: 'passkey', answer: authenticator.get(optionsOn(wrong)) };
      const fields = page === 'authenticator' ? { password } : proof;
      expect((await browser.submit(wrong, 'prove', { next: page, ...fields })).url.pathname).toBe(`/account/${page}`);
    }
    await ageProofs();
    const removal = await browser.submit(await browser.come('/passkeys'), 'passkeys', { remove: crypto.randomUUID() });
    expect(removal.url.pathname).toBe('/account/prove');
    const elsewhere = await browser.submit(removal, 'prove', { next: 'https://evil.example', password });
    expect(elsewhere.url.pathname).toBe('/account/factors');
  });
});

describe('what happens to factors', () => {
  it('is told to their user by mail', async () => {
    const { browser, email, addPasskey, addApp } = await someone();
    await addPasskey();
    await addApp();
    const made = await browser.submit(await browser.come('/recovery-codes'), 'recovery-codes', {});
    const other = createBrowser(api);
    const [recoveryCode = ''] = codesOn(made);
    await other.submit(await enterPassword(other, email), 'second-factor', { method: 'recovery-code', recoveryCode });
    await browser.submit(await browser.come('/authenticator'), 'authenticator', { remove: 'yes' });
    const list = await browser.come('/passkeys');
    const [, id = ''] = /name="remove" value="([^"]+)"/.exec(list.html) ?? [];
    for (let times = 0; times < 2; times += 1) await browser.submit(list, 'passkeys', { remove: id });
    const kinds = (await mailsTo(api, email)).map(({ kind }) => kind).filter((kind) => /passkey|authenticator|recovery/.test(kind));
    expect(kinds.toReversed()).toEqual([
      'passkey-added',
      'authenticator-added',
      'recovery-codes-made',
      'recovery-code-used',
      'authenticator-removed',
      'passkey-removed',
    ]);
  });
});

describe('the page of connected applications', () => {
  it('takes access back at once, with its tokens', async () => {
    const id = await api.client({ name: 'Budget <b>app</b>', permissions: ['read', 'write'] });
    const browser = createBrowser(api);
    const { page, verifier } = await browser.signUp(id);
    const back = await browser.submit(page, 'consent', { decision: 'allow' });
    const { access_token: token } = await exchange(api, id, back.url, verifier);
    const context = () => fetch(`${api.url}/auth/context`, { headers: { Authorization: `Bearer ${token}` } });
    const shown = await browser.come('/applications');
    expect(shown.html).toContain('Budget &lt;b&gt;app&lt;/b&gt;');
    for (const { html } of [page, shown]) expect(html).toContain('choose the address at which money to your IBANs arrives');
    expect(shown.html).toMatch(/Since \d{4}-\d\d-\d\d, last used \d{4}-\d\d-\d\d/);
    const other = (await someone()).browser;
    await other.submit(await browser.come('/applications'), 'applications', { revoke: id });
    expect((await context()).status).toBe(200);
    const revoked = await browser.submit(shown, 'applications', { revoke: id });
    expect(revoked.html).toContain('You have given no application access');
    expect(await api.ledger.selectFrom('grants').where('application', '=', id).where('endedAt', 'is', null).select('id').execute()).toEqual(
      [],
    );
  });
});

async function identified() {
  const member = await someone();
  const { id = '' } = (await findUserByEmail(api.ledger, member.email)) ?? {};
  return { ...member, id, codesForm: await member.browser.come('/recovery-codes') };
}

describe('a reset by an operator', () => {
  it.each<[string, (someone: Awaited<ReturnType<typeof identified>>) => Promise<unknown>]>([
    ['a passkey', ({ addPasskey }) => addPasskey()],
    ['an authenticator app', ({ browser }) => browser.come('/authenticator')],
    ['recovery codes', async ({ browser, codesForm }) => browser.submit(codesForm, 'recovery-codes', {})],
  ])('also ends %s, added at the same time', async (_, add) => {
    const member = await identified();
    const adding = await inTransaction(api.ledger, async (tx) => {
      await resetFactors(tx, member.id);
      const added = add(member);
      await Promise.race([added, untilWaiting(api.ledger)]);
      return { added };
    });
    await adding.added;
    const { rows } = await sql<{ rows: number }>`select (select count(*) from passkeys where user_id = ${member.id})::int
      + (select count(*) from totp_seeds where user_id = ${member.id})::int
      + (select count(*) from recovery_codes where user_id = ${member.id})::int as rows`.execute(api.ledger);
    expect(rows).toEqual([{ rows: 0 }]);
  });
});
