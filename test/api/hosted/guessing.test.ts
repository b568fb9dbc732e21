import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, password } from './browser.ts';
import { type OAuthApi, createOAuthApi } from '../oauth/client.ts';

let api: OAuthApi;
let clientId: string;
beforeAll(async () => {
  api = await createOAuthApi();
  clientId = await api.client();
});
afterAll(() => api.close());

describe('guessing', () => {
  it('stops after ten tries at one account, known or not, in the same words, even for the right password', async () => {
    const { email } = await createBrowser(api).signUp(clientId);
    const browser = createBrowser(api);
    const { page } = await browser.arrive(clientId, { auth_mode: 'login' });
    for (const name of [email, 'nobody@example.com']) {
      await sql`delete from sign_in_tries where subject like 'address %'`.execute(api.ledger);
      for (let tries = 0; tries < 10; tries++) {
        const wrong = await browser.submit(page, 'sign-in', { email: name, password: 'wrong' });
        expect(wrong.status).toBe(400);
        expect(wrong.html).toContain('The email address or the password is wrong.');
      }
      const refused = await browser.submit(page, 'sign-in', { email: name.toUpperCase(), password });
      expect(refused.status).toBe(429);
      expect(refused.html).toContain('Too many attempts. Wait 15 minutes');
    }
    await sql`update sign_in_tries set until = now()`.execute(api.ledger);
    expect((await browser.submit(page, 'sign-in', { email, password })).url.pathname).toBe('/authorize/consent');
  });

  it('stops after fifty tries from one network address', async () => {
    await createBrowser(api).signUp(clientId);
    await sql`update sign_in_tries set tries = 50, until = now() + interval '1 minute' where subject like 'address %'`.execute(api.ledger);
    const browser = createBrowser(api);
    const { page } = await browser.arrive(clientId, { auth_mode: 'login' });
    const { status } = await browser.submit(page, 'sign-in', { email: 'new@example.com', password });
    expect(status).toBe(429);
    const pretended = await browser.submit(page, 'sign-in', { email: 'new@example.com', password }, { 'X-Forwarded-For': '203.0.113.7' });
    expect(pretended.status).toBe(429);
    await sql`delete from sign_in_tries`.execute(api.ledger);
  });

  it('finds argon2id in the database, with a salt for each user', async () => {
    await createBrowser(api).signUp(clientId);
    await createBrowser(api).signUp(clientId);
    const { rows } = await sql<{ hash: string }>`select hash from passwords`.execute(api.ledger);
    for (const { hash } of rows) expect(hash).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(new Set(rows.map(({ hash }) => hash)).size).toBe(rows.length);
  });
});
