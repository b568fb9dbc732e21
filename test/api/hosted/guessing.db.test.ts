import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, password } from './browser.ts';
import { createOAuthApi } from '../oauth/client.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createOAuthApi);
let clientId: string;
beforeAll(async () => void (clientId = await api.client()));

const from = (address: string) => ({ 'X-Forwarded-For': address });
const endPauses = () => sql`update sign_in_tries set blocked_until = now()`.execute(api.ledger);

describe('guessing', () => {
  it('pauses after five tries at one account, known or not, in the same words, even for the right password', async () => {
    const { email } = await createBrowser(api).signUp(clientId);
    const browser = createBrowser(api);
    const { page } = await browser.arrive(clientId, { auth_mode: 'login' });
    for (const name of [email, 'nobody@example.com']) {
      for (let tries = 0; tries < 5; tries++) {
        const wrong = await browser.submit(page, 'sign-in', { email: name, password: 'wrong' });
        expect(wrong.status).toBe(400);
        expect(wrong.html).toContain('The email address or the password is wrong.');
      }
      const refused = await browser.submit(page, 'sign-in', { email: name.toUpperCase(), password });
      expect(refused.status).toBe(429);
      expect(refused.html).toMatch(/Too many attempts. Wait \d\d seconds/);
    }
    await endPauses();
    expect((await browser.submit(page, 'sign-in', { email, password })).url.pathname).toBe('/authorize/consent');
  });

  it('pauses twice as long each time, up to an hour, and begins anew after a day', async () => {
    const browser = createBrowser(api);
    const { page } = await browser.arrive(clientId, { auth_mode: 'login' });
    const email = 'doubling@example.com';
    const attempt = () => browser.submit(page, 'sign-in', { email, password: 'wrong' });
    for (let tries = 0; tries < 4; tries++) await attempt();
    for (const seconds of [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]) {
      expect((await attempt()).status).toBe(400);
      const { rows } = await sql<{ pause: number }>`select extract(epoch from blocked_until - now())::int as pause from sign_in_tries
        where subject like ${`account ${email}%`}`.execute(api.ledger);
      expect(rows[0]?.pause).toBeGreaterThan(seconds - 20);
      expect(rows[0]?.pause).toBeLessThanOrEqual(seconds);
      await endPauses();
    }
    await sql`update sign_in_tries set until = now(), blocked_until = now() + interval '1 hour'`.execute(api.ledger);
    for (let tries = 0; tries < 4; tries++) expect((await attempt()).status).toBe(400);
  });

  it('of others locks nobody out: neither from another network, nor on a device on which they have signed in before', async () => {
    const proxied = await createOAuthApi({ TRUST_PROXY: '1' });
    const client = await proxied.client();
    const [owner, thief, elsewhere] = [createBrowser(proxied), createBrowser(proxied), createBrowser(proxied)];
    const { email } = await owner.signUp(client);
    owner.cookies.delete('session');
    const { page } = await thief.arrive(client, { auth_mode: 'login' });
    for (let tries = 0; tries < 8; tries++) await thief.submit(page, 'sign-in', { email, password: 'wrong' }, from('192.0.2.7'));
    const signIn = async (browser: typeof owner, address: string) => {
      const form = (await browser.arrive(client, { auth_mode: 'login' })).page;
      return (await browser.submit(form, 'sign-in', { email, password }, from(address))).url.pathname;
    };
    expect(await signIn(elsewhere, '192.0.2.8')).toBe('/authorize/consent');
    expect(await signIn(owner, '192.0.2.7')).toBe('/authorize/consent');
    expect(await signIn(thief, '192.0.2.7')).toBe('/authorize/sign-in');
    await proxied.close();
  });

  it('on a known device is slowed by its own count', async () => {
    const browser = createBrowser(api);
    const { email } = await browser.signUp(clientId);
    browser.cookies.delete('session');
    const { page } = await browser.arrive(clientId, { auth_mode: 'login' });
    for (let tries = 0; tries < 5; tries++) await browser.submit(page, 'sign-in', { email, password: 'wrong' });
    expect((await browser.submit(page, 'sign-in', { email, password })).status).toBe(429);
  });

  it('pauses after fifty tries from one network address, whose right ones do not count', async () => {
    const known = createBrowser(api);
    const { email } = await known.signUp(clientId);
    await sql`update sign_in_tries set tries = 49, blocked_until = null where subject like 'source %'`.execute(api.ledger);
    const browser = createBrowser(api);
    const { page } = await browser.arrive(clientId, { auth_mode: 'login' });
    const submit = (fields: Record<string, string>, headers = {}) => browser.submit(page, 'sign-in', fields, headers);
    for (let count = 0; count < 2; count++) {
      const user = createBrowser(api);
      const form = (await user.arrive(clientId, { auth_mode: 'login' })).page;
      expect((await user.submit(form, 'sign-in', { email, password })).url.pathname).toBe('/authorize/consent');
    }
    expect((await submit({ email: 'new@example.com', password })).status).toBe(400);
    expect((await submit({ email: 'newer@example.com', password })).status).toBe(429);
    const pretended = await submit({ email: 'newest@example.com', password }, { 'X-Forwarded-For': '203.0.113.7' });
    expect(pretended.status).toBe(429);
    await sql`delete from sign_in_tries`.execute(api.ledger);
  });
});
