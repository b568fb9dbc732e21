import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { listAudit } from '../../../src/ledger/access/audit-log.ts';
import { findUserByEmail, type User } from '../../../src/ledger/access/users.ts';
import { signatureState } from '../../../src/ledger/orders/signature-queries.ts';
import { requestSignature } from '../../../src/ledger/orders/signature-requests.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { createOAuthApi } from '../oauth/client.ts';
import { mailsTo } from '../support/mails.ts';
import { createBrowser, exchange, password, type Shown } from './browser.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const another = 'four more words of mine';
const firefox = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' };

const api = forWholeFile(createOAuthApi);
let clientId: string;
beforeAll(async () => void (clientId = await api.client()));

type Browser = ReturnType<typeof createBrowser>;

async function signIn(email: string, headers: Record<string, string> = {}, browser: Browser = createBrowser(api)) {
  const page = await browser.submit(await browser.come('/sign-in'), 'sign-in', { email, password }, headers);
  return { browser, page };
}

const isSignedIn = async (browser: Browser) => (await browser.come('/overview')).url.pathname === '/account/overview';
const hash = (of: Browser) => sql`sha256(${of.cookies.get('session') ?? ''}::bytea)`;
const sessionsOn = ({ html }: Shown) => [...html.matchAll(/name="end" value="([0-9a-f-]{36})"/g)].map(([, id = '']) => id);

async function actionsOf(email: string): Promise<unknown[]> {
  const user = await findUserByEmail(api.ledger, email);
  const entries = await listAudit(api.ledger, { subject: user?.id, limit: 50 });
  return entries.map(({ action, actorKind, detail }) => [action, actorKind, detail]).toReversed();
}

describe('the list of sessions', () => {
  it('names browser, address and times of each, and ends one, all others, or all', async () => {
    const first = createBrowser(api);
    const { email } = await first.signUp(clientId);
    const second = (await signIn(email, firefox)).browser;
    const third = (await signIn(email)).browser;
    const page = await first.come('/sessions');
    expect(page.html).toContain('Firefox on Linux');
    expect(page.html).toContain('(this one)');
    expect(page.html).toMatch(/From 127\.0\.0\.1|From ::1/);
    expect(sessionsOn(page)).toHaveLength(3);

    const { rows } = await sql<{ id: string }>`select id from sessions where browser = 'Firefox on Linux'`.execute(api.ledger);
    const after = await first.submit(page, 'sessions', { end: rows[0]?.id ?? '' });
    expect(sessionsOn(after)).toHaveLength(2);
    expect([await isSignedIn(first), await isSignedIn(second), await isSignedIn(third)]).toEqual([true, false, true]);
    await first.submit(page, 'sessions', { end: 'others' });
    expect([await isSignedIn(first), await isSignedIn(third)]).toEqual([true, false]);
    expect((await first.submit(page, 'sessions', { end: 'all' })).url.pathname).toBe('/account/sign-in');
    expect(await isSignedIn(first)).toBe(false);
  });

  it('ends the access of applications, and what waits to be linked, with all sessions, for a user who wants that', async () => {
    const browser = createBrowser(api);
    const { email, page, verifier } = await browser.signUp(clientId);
    const granted = await exchange(api, clientId, (await browser.submit(page, 'consent', { decision: 'allow' })).url, verifier);
    const status = async () =>
      (await fetch(`${api.url}/auth/context`, { headers: { Authorization: `Bearer ${granted.access_token}` } })).status;
    const sessions = await browser.come('/sessions');
    await browser.submit(sessions, 'sessions', { end: 'others' });
    const { id: user, defaultProfile } = (await findUserByEmail(api.ledger, email)) as User;
    const address = lowerAddress(`0x${'12'.repeat(20)}`);
    const draft = { profile: defaultProfile ?? '', address, chain: 'chiado', user, sources: ['hosted pages'] } as const;
    const waiting = await requestSignature(api.ledger, {
      kind: 'linkAddress',
      draft,
      digest: '0x01',
      signature: '0x',
      correlationId: null,
    });
    const ended = await browser.submit(sessions, 'sessions', { end: 'all-and-applications' });
    expect([ended.url.pathname, await isSignedIn(browser), await status()]).toEqual(['/account/sign-in', false, 401]);
    expect(await signatureState(api.ledger, waiting ?? '')).toMatchObject({ state: 'invalid' });
  });

  it("ends nobody else's session", async () => {
    const [owner, stranger] = [createBrowser(api), createBrowser(api)];
    await owner.signUp(clientId);
    await stranger.signUp(clientId);
    const [session = ''] = sessionsOn(await owner.come('/sessions'));
    await stranger.submit(await stranger.come('/sessions'), 'sessions', { end: session });
    expect(await isSignedIn(owner)).toBe(true);
  });

  it('has no session that ended by itself: after twelve hours, or after half an hour without use', async () => {
    const browser = createBrowser(api);
    const { email } = await browser.signUp(clientId);
    const idle = (await signIn(email)).browser;
    const old = (await signIn(email)).browser;
    const used = (await signIn(email)).browser;
    await sql`update sessions set last_used_at = now() - interval '31 minutes' where hash = ${hash(idle)}`.execute(api.ledger);
    await sql`update sessions set expires_at = now() where hash = ${hash(old)}`.execute(api.ledger);
    await sql`update sessions set last_used_at = now() - interval '29 minutes' where hash = ${hash(used)}`.execute(api.ledger);
    expect(await isSignedIn(used)).toBe(true);
    await sql`update sessions set last_used_at = last_used_at - interval '29 minutes' where hash = ${hash(used)}`.execute(api.ledger);
    expect([await isSignedIn(used), await isSignedIn(idle), await isSignedIn(old)]).toEqual([true, false, false]);
    expect(sessionsOn(await browser.come('/sessions'))).toHaveLength(2);
  });
});

describe('a change of the password', () => {
  it('needs the one of today, signs out all other browsers, and is announced by mail', async () => {
    const browser = createBrowser(api);
    const { email } = await browser.signUp(clientId);
    const other = (await signIn(email)).browser;
    const form = await browser.come('/password');
    const change = (fields: Record<string, string>) => browser.submit(form, 'password', fields);
    expect((await change({ currentPassword: 'wrong', password: another })).html).toContain('Your password today is wrong');
    expect((await change({ currentPassword: password, password: 'password1234' })).html).toContain('first that anybody guesses');
    const { html } = await change({ currentPassword: password, password: another });
    expect(html).toContain('Your new password is valid');
    expect(html).toContain('<a href="applications">');
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false]);
    expect((await mailsTo(api, email))[0]?.kind).toBe('password-changed');
    expect((await signIn(email)).page.status).toBe(400);
  });
});

describe('a sign-in', () => {
  it('on a browser that is not known is announced by mail, five times a day at most', async () => {
    const known = createBrowser(api);
    const { email } = await known.signUp(clientId);
    known.cookies.delete('session');
    await signIn(email, firefox, known);
    expect((await mailsTo(api, email)).map(({ kind }) => kind)).toEqual(['sign-up-code']);
    for (let count = 0; count < 7; count++) await signIn(email, firefox);
    const notices = (await mailsTo(api, email)).filter(({ kind }) => kind === 'new-sign-in');
    expect(notices).toHaveLength(5);
    expect(notices[0]).toMatchObject({ browser: 'Firefox on Linux', network: expect.any(String), at: expect.stringMatching(/Z$/) });
  });

  it('is in the audit log, with its end, its failures and what became of the password, and without a flood', async () => {
    const browser = createBrowser(api);
    const { email, page } = await browser.signUp(clientId);
    await browser.submit(page, 'sign-out', {});
    const form = await browser.come('/sign-in');
    for (let count = 0; count < 12; count++) {
      await browser.submit(form, 'sign-in', { email, password: 'a wrong password' });
      await sql`update sign_in_tries set blocked_until = null`.execute(api.ledger);
    }
    const entries = await actionsOf(email);
    expect(entries).toEqual([
      ['user.verify-email', 'user', {}],
      ['user.password', 'user', { set_by: 'sign-up' }],
      ['user.sign-in', 'user', {}],
      ['user.sign-out', 'user', {}],
      ['user.sign-in-failed', 'system', { factor: 'password', failures: 1 }],
      ['user.sign-in-failed', 'system', { factor: 'password', failures: 10 }],
    ]);
    expect(JSON.stringify(entries)).not.toContain('wrong');
  });

  it('to an address without an account is counted with all others of its kind', async () => {
    const nobody = '00000000-0000-0000-0000-000000000000';
    await signIn('nobody@example.com');
    await signIn('nobody-else@example.com');
    const { rows } = await sql<{
      failures: number;
    }>`select failures from sign_in_failures where kind = 'user' and subject = ${nobody}`.execute(api.ledger);
    expect(rows).toEqual([{ failures: 2 }]);
    const entries = await listAudit(api.ledger, { subject: nobody, limit: 50 });
    expect(entries.map(({ action, detail }) => [action, detail])).toEqual([['user.sign-in-failed', { factor: 'password', failures: 1 }]]);
  });
});
