import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { registerApplication } from '../../../src/ledger/access/applications/register-application.ts';
import { listAudit } from '../../../src/ledger/access/audit-log.ts';
import { listConsents } from '../../../src/ledger/access/consents.ts';
import { linkAddress, listAddresses } from '../../../src/ledger/customers/addresses.ts';
import { listOwnAddresses } from '../../../src/ledger/customers/own-addresses.ts';
import { createGrant } from '../../../src/ledger/access/grants.ts';
import { requestSignature } from '../../../src/ledger/orders/signature-requests.ts';
import { type LowerAddress, lowerAddress } from '../../../src/platform/addresses.ts';
import { createWallet } from '../support/test-api.ts';
import { hashPassword, setPassword } from '../../../src/ledger/access/passwords.ts';
import { userSubject } from '../../../src/ledger/access/subject.ts';
import { signOutEverywhere } from '../../../src/ledger/access/sign-out.ts';
import { findUserByEmail } from '../../../src/ledger/access/users.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { createOAuthApi } from '../oauth/client.ts';
import { codeFor, mailsTo } from '../support/mails.ts';
import { createBrowser, exchange, password } from './browser.ts';
import { untilWaiting } from '../../support/waiting-for-locks.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const another = 'four more words of mine';

const api = forWholeFile(createOAuthApi);
let clientId: string;
beforeAll(async () => void (clientId = await api.client()));

/** Asks for a code and stands before the page of the new password. */
async function ask(email: string, browser = createBrowser(api)) {
  return { browser, page: await browser.submit(await browser.come('/reset-password'), 'reset-password', { email }) };
}

async function reset(email: string, browser = createBrowser(api)) {
  const { page } = await ask(email, browser);
  return browser.submit(page, 'new-password', { code: await codeFor(api, email), password: another });
}

async function signInStatus(email: string, secret: string): Promise<string> {
  const browser = createBrowser(api);
  return (await browser.submit(await browser.come('/sign-in'), 'sign-in', { email, password: secret })).url.pathname;
}

/** A page without what differs between any two browsers. */
const text = (html: string, address: string) => html.replaceAll(address, '').replaceAll(/value="[^"]*"/g, '');

describe('a password reset', () => {
  it('sets the password, ends all sessions and known browsers, and is announced by mail', async () => {
    const owner = createBrowser(api);
    const { email, page } = await owner.signUp(clientId);
    expect((await reset(email)).html).toContain('Your new password is valid');
    expect((await owner.visit(page.url)).url.pathname).toBe('/authorize/sign-in');
    expect(await signInStatus(email, password)).toBe('/account/sign-in');
    expect(await signInStatus(email, another)).not.toBe('/account/sign-in');
    const kinds = (await mailsTo(api, email)).map(({ kind }) => kind);
    expect(kinds).toEqual(['new-sign-in', 'password-reset', 'reset-code', 'sign-up-code']);
    const { rows } = await sql<{ count: number }>`select count(*)::int from known_devices d join users u on u.id = d.user_id
      where u.email = ${email}`.execute(api.ledger);
    expect(rows[0]?.count, 'the browser that signed in, not the one that reset it').toBe(1);
  });

  it('opens nothing to a sign-in by the old password, or a change of it, that had begun before', async () => {
    const owner = createBrowser(api);
    const { email } = await owner.signUp(clientId);
    const [form, thief] = [await owner.come('/password'), createBrowser(api)];
    const signInPage = await thief.come('/sign-in');
    const user = (await findUserByEmail(api.ledger, email))?.id ?? '';
    const begun = await inTransaction(api.ledger, async (tx) => {
      await setPassword(tx, userSubject(user), await hashPassword(another), 'reset');
      await signOutEverywhere(tx, user);
      const requests = [
        thief.submit(signInPage, 'sign-in', { email, password }),
        owner.submit(form, 'password', { currentPassword: password, password: 'words of somebody else' }),
      ];
      await untilWaiting(api.ledger, 2);
      return requests;
    });
    const [signIn, change] = await Promise.all(begun);
    expect(signIn?.html).toContain('the password is wrong');
    expect(change?.html).toContain('is wrong');
    expect((await thief.come('/overview')).url.pathname).toBe('/account/sign-in');
    expect(await signInStatus(email, another)).not.toBe('/account/sign-in');
  });

  it('keeps linked addresses, which the page and the mail name, and ends what the hosted pages have left waiting', async () => {
    const { email } = await createBrowser(api).signUp(clientId);
    const { id = '', defaultProfile } = (await findUserByEmail(api.ledger, email)) ?? {};
    const [linked, waiting, shared] = ['0x1234', '0x5678', '0x9abc'].map((start) => lowerAddress(start.padEnd(42, 'f'))) as [
      LowerAddress,
      LowerAddress,
      LowerAddress,
    ];
    const link = { profile: defaultProfile ?? '', chain: 'chiado', user: id, sources: ['hosted pages'] } as const;
    await linkAddress(api.ledger, { ...link, address: linked });
    const app = await inTransaction(api.ledger, (tx) => createGrant(tx, { application: clientId, user: id }));
    for (const draft of [
      { ...link, address: waiting },
      { ...link, address: shared, sources: ['hosted pages', { grant: app }] as const },
    ])
      await requestSignature(api.ledger, { kind: 'linkAddress', draft, digest: '0x01', signature: '0x', correlationId: null });
    expect((await reset(email)).html).toContain('0x1234…ffff');
    const notice = (await mailsTo(api, email)).find(({ kind }) => kind === 'password-reset');
    expect(notice).toMatchObject({ addresses: [linked] });
    const requests = api.ledger.selectFrom('signatureRequests').where('profile', '=', link.profile).orderBy('address');
    expect(await requests.select(['address', 'state', sql`draft -> 'sources'`.as('sources')]).execute()).toEqual([
      { address: waiting, state: 'invalid', sources: [] },
      { address: shared, state: 'pending', sources: [{ grant: app }] },
    ]);
    expect(await listOwnAddresses(api.ledger, id)).toMatchObject([{ address: linked }]);
  });

  it('ends the access of applications, and says so', async () => {
    const browser = createBrowser(api);
    const { email, page, verifier } = await browser.signUp(clientId);
    const granted = await exchange(api, clientId, (await browser.submit(page, 'consent', { decision: 'allow' })).url, verifier);
    expect((await reset(email)).html).toContain('All applications to which you gave access have lost it');
    const answer = await fetch(`${api.url}/auth/context`, { headers: { Authorization: `Bearer ${granted.access_token}` } });
    expect(answer.status).toBe(401);
    const grant = { grant_type: 'refresh_token', client_id: clientId, refresh_token: granted.refresh_token };
    const refreshed = await fetch(`${api.url}/auth/token`, { method: 'POST', body: new URLSearchParams(grant) });
    expect(await refreshed.json()).toMatchObject({ error: 'invalid_grant' });
  });

  it('shows the same page for an address without an account, whose owner learns that there is none', async () => {
    const { email } = await createBrowser(api).signUp(clientId);
    const stranger = `${randomUUID()}@example.com`;
    const [known, unknown] = [await ask(email), await ask(stranger)];
    expect(text(known.page.html, email)).toBe(text(unknown.page.html, stranger));
    expect(await mailsTo(api, stranger)).toEqual([{ kind: 'no-account' }]);
    const guess = await unknown.browser.submit(unknown.page, 'new-password', { code: '123456789012', password: another });
    expect(guess.html).toContain('Code is wrong');
  });

  it('is mailed to the address as the account has it, however it was typed', async () => {
    const { email } = await createBrowser(api).signUp(clientId);
    const { browser, page } = await ask(email.toUpperCase());
    expect(await mailsTo(api, email.toUpperCase())).toEqual([]);
    const completed = await browser.submit(page, 'new-password', { code: await codeFor(api, email), password: another });
    expect(completed.html).toContain('Your new password is valid');
  });

  it('ends the codes of other browsers, which do not learn of it', async () => {
    const { email } = await createBrowser(api).signUp(clientId);
    const stranger = await ask(email);
    const before = text(stranger.page.html, email);
    expect((await reset(email)).html).toContain('Your new password is valid');
    const code = (await mailsTo(api, email)).flatMap((mail) => (mail.kind === 'reset-code' ? [mail.code] : []))[0] ?? '';
    const looked = await stranger.browser.come('/new-password');
    expect(text(looked.html, email)).toBe(before);
    expect((await stranger.browser.submit(looked, 'new-password', { code, password })).html).toContain('Code is wrong');
  });

  it('is mailed to who has just got an account, however often strangers asked before', async () => {
    const owner = createBrowser(api);
    const email = `${randomUUID()}@example.com`;
    for (let count = 0; count < 3; count++) await ask(email);
    expect(await mailsTo(api, email)).toEqual([{ kind: 'no-account' }]);
    const form = await owner.come('/sign-up');
    const page = await owner.submit(form, 'sign-up', { name: 'Jane', email, password });
    await owner.submit(page, 'verify-email', { code: await codeFor(api, email) });
    expect((await reset(email)).html).toContain('Your new password is valid');
  });

  it('takes a code five times at most, and only in the browser that asked for it', async () => {
    const { email } = await createBrowser(api).signUp(clientId);
    const { browser, page } = await ask(email);
    const code = await codeFor(api, email);
    const stranger = await ask(`${randomUUID()}@example.com`);
    expect((await stranger.browser.submit(stranger.page, 'new-password', { code, password: another })).html).toContain('Code is wrong');
    const wrong = code === '000000000000' ? '111111111111' : '000000000000';
    for (let count = 0; count < 5; count++) await browser.submit(page, 'new-password', { code: wrong, password: another });
    const refused = await browser.submit(page, 'new-password', { code, password: another });
    expect(refused.html).toContain('No code is valid here any more');
  });

  it('does not use up the code for a password that is refused', async () => {
    const { email } = await createBrowser(api).signUp(clientId);
    const { browser, page } = await ask(email);
    const code = await codeFor(api, email);
    for (let count = 0; count < 6; count++)
      expect((await browser.submit(page, 'new-password', { code, password: 'password1234' })).html).toContain('first that anybody guesses');
    expect((await browser.submit(page, 'new-password', { code, password: another })).html).toContain('Your new password is valid');
  });
});

describe('an account from a time when addresses were not verified', () => {
  it('does not open by its password, becomes no owner, and after the reset nothing is left of what was done before', async () => {
    const squatter = createBrowser(api);
    const { email, page, verifier } = await squatter.signUp(clientId);
    const granted = await exchange(api, clientId, (await squatter.submit(page, 'consent', { decision: 'allow' })).url, verifier);
    await sql`update users set email_verified_at = null where email = ${email}`.execute(api.ledger);
    const { id: user = '', defaultProfile } = (await findUserByEmail(api.ledger, email)) ?? {};
    const profile = defaultProfile ?? '';
    const address = lowerAddress(createWallet().address);
    await linkAddress(api.ledger, { profile, address, chain: 'chiado', user });
    const registration = {
      kind: 'private' as const,
      name: 'Treasury',
      redirectUris: [],
      origins: [],
      permission: 'read' as const,
      owner: email,
    };
    await expect(registerApplication(api.ledger, registration, 'sandbox')).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('before addresses were verified') as string,
    });
    expect(await signInStatus(email, password)).toBe('/account/sign-in');
    await reset(email);
    expect(await signInStatus(email, another)).not.toBe('/account/sign-in');
    const answer = await fetch(`${api.url}/auth/context`, { headers: { Authorization: `Bearer ${granted.access_token}` } });
    expect(answer.status).toBe(401);
    expect(await listConsents(api.ledger, user)).toEqual([]);
    expect((await listAddresses(api.ledger, profile, undefined, { limit: 1 })).total).toBe(0);
    const [unlinked] = await listAudit(api.ledger, { subject: address, limit: 1 });
    expect(unlinked).toMatchObject({ action: 'address.unlink', detail: { profile } });
    await registerApplication(api.ledger, registration, 'sandbox');
  });
});
