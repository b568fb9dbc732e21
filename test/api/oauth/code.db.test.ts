import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import * as oauth from 'oauth4webapi';
import { describe, expect, it } from 'vitest';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { createProfile } from '../../../src/ledger/customers/profiles.ts';
import { basic, createOAuthApi, pkce, redirectUri } from './client.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createOAuthApi);

async function consented(permissions: ('read' | 'write')[] = ['read']) {
  const [clientId, user, { verifier, challenge }] = await Promise.all([api.client({ permissions }), api.user(), pkce()]);
  return { clientId, user, verifier, code: await api.consent(clientId, user, challenge) };
}

type Consented = Awaited<ReturnType<typeof consented>>;

async function exchange({ clientId, code, verifier }: Pick<Consented, 'clientId' | 'code' | 'verifier'>, to = redirectUri) {
  const fields = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier, redirect_uri: to };
  const response = await api.form('/auth/token', fields);
  // oxlint-disable-next-line typescript/no-explicit-any -- what an answer contains is for each test to say
  return { status: response.status, json: (await response.json()) as any };
}

const context = (accessToken: string) => fetch(`${api.url}/auth/context`, { headers: { Authorization: `Bearer ${accessToken}` } });

describe('a code', () => {
  it('is refused with the verifier, client or redirect URI of another, and stays good for its own', async () => {
    const mine = await consented();
    const refused = async (change: Partial<Consented>, message: string, to?: string) =>
      expect(await exchange({ ...mine, ...change }, to)).toMatchObject({
        status: 400,
        json: { code: 400, status: 'Bad Request', error: 'invalid_grant', message },
      });
    for (const verifier of [oauth.generateRandomCodeVerifier(), await oauth.calculatePKCECodeChallenge(mine.verifier)])
      await refused({ verifier }, 'The code verifier does not match the code challenge.');
    for (const change of [{ clientId: await api.client() }, { code: 'none' }])
      await refused(change, 'The code is not known, or was not issued to this client.');
    for (const other of ['https://shop.example/other', `${redirectUri}/`, `${redirectUri}?`, redirectUri.toUpperCase()])
      await refused({}, 'The redirect URI is not the one for which the code was issued.', other);
    expect((await exchange(mine)).status).toBe(200);
  });

  it('is good with any text as verifier whose hash is the challenge, of 128 characters at most', async () => {
    const [clientId, user] = [await api.client(), await api.user()];
    for (const [verifier, status] of [
      ['short', 200],
      ['with spaces + signs: 100%/yes', 200],
      ['x'.repeat(129), 400],
    ] as const) {
      const code = await api.consent(clientId, user, createHash('sha256').update(verifier).digest('base64url'));
      expect([verifier, (await exchange({ clientId, code, verifier })).status]).toEqual([verifier, status]);
    }
  });

  it('is good once; its second use revokes what it gave, and all that came from that', async () => {
    const mine = await consented();
    const { json: first } = await exchange(mine);
    const refresh = { grant_type: 'refresh_token', client_id: mine.clientId, refresh_token: first.refresh_token };
    const second = (await (await api.form('/auth/token', refresh)).json()) as { access_token: string; refresh_token: string };
    expect((await exchange(mine)).json.message).toMatch(/used before/);
    expect((await context(second.access_token)).status).toBe(401);
    expect((await api.form('/auth/token', { ...refresh, refresh_token: second.refresh_token })).status).toBe(400);
  });

  it('that was used revokes nothing for somebody who has another verifier or redirect URI', async () => {
    const mine = await consented();
    const { json } = await exchange(mine);
    const strangers = [
      () => exchange({ ...mine, verifier: oauth.generateRandomCodeVerifier() }),
      () => exchange(mine, 'https://shop.example/other'),
    ];
    for (const ask of strangers) expect((await ask()).json).toMatchObject({ error: 'invalid_grant' });
    expect((await context(json.access_token)).status).toBe(200);
  });

  it('gives tokens to one of many parallel exchanges, and in the end to none', async () => {
    const mine = await consented();
    const answers = await Promise.all(Array.from({ length: 6 }, () => exchange(mine)));
    const granted = answers.filter(({ status }) => status === 200);
    expect(granted).toHaveLength(1);
    expect((await context(granted[0]?.json.access_token)).status).toBe(401);
  });

  it('is good for 60 seconds', async () => {
    const mine = await consented();
    const { rows } = await sql<{ seconds: number }>`
      with before as (select hash, expires_at from authorization_codes where grant_id in (select id from grants where application = ${mine.clientId}))
      update authorization_codes c set expires_at = now() from before b where c.hash = b.hash
      returning extract(epoch from b.expires_at - now())::float as seconds
    `.execute(api.ledger);
    expect(rows[0]?.seconds).toBeGreaterThan(50);
    expect(rows[0]?.seconds).toBeLessThanOrEqual(60);
    expect((await exchange(mine)).json).toMatchObject({ error: 'invalid_grant', message: 'The code has expired.' });
  });

  it('is kept as a hash alone', async () => {
    const { code } = await consented();
    const { rows } = await sql<{ text: string }>`select string_agg(c::text, '') as text from authorization_codes c`.execute(api.ledger);
    expect(rows[0]?.text).not.toContain(code);
    expect(rows[0]?.text).not.toContain(Buffer.from(code, 'base64url').toString('hex'));
  });

  it('of an application that was disabled meanwhile gives nothing', async () => {
    const mine = await consented();
    await api.ledger.updateTable('applications').set({ disabledAt: new Date() }).where('id', '=', mine.clientId).execute();
    expect((await exchange(mine)).json.error).toBe('unauthorized_client');
  });
});

describe('a public application', () => {
  it('may send an empty secret, which counts as left out (RFC 6749, section 3.2), and what nobody knows; its refresh tokens rotate', async () => {
    const { clientId, code, verifier } = await consented();
    const grant = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier, redirect_uri: redirectUri };
    const granted = await api.form('/auth/token', { ...grant, client_secret: '', scope: 'everything', resource: 'https://a.example' });
    const { refresh_token, scope } = (await granted.json()) as { refresh_token: string; scope: string };
    expect([granted.status, scope]).toEqual([200, 'read']);
    const refresh = { grant_type: 'refresh_token', refresh_token };
    const refreshed = await api.form('/auth/token', refresh, basic(clientId, ''));
    expect(refreshed.status).toBe(200);
    const again = await api.form('/auth/token', { ...refresh, client_id: clientId });
    expect(await again.json()).toMatchObject({ code: 400, error: 'invalid_grant' });
    expect((await context(((await refreshed.json()) as { access_token: string }).access_token)).status).toBe(401);
  });
});

describe('a confidential application', () => {
  it('redeems codes by its secret alone, and refreshes with or without it', async () => {
    const { id: user } = await api.user();
    const { id: clientId, secret } = await createApplication(api.ledger, {
      kind: 'authorization_code',
      name: 'Server',
      owner: user,
      redirectUris: [redirectUri],
      isConfidential: true,
    });
    const { verifier, challenge } = await pkce();
    const code = await api.consent(clientId, await api.user(), challenge);
    expect((await exchange({ clientId, code, verifier })).json.error).toBe('invalid_client');
    const grant = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier, redirect_uri: redirectUri };
    expect((await api.form('/auth/token', { ...grant, client_secret: 'guess' })).status).toBe(400);
    const granted = await api.form('/auth/token', { ...grant, client_secret: secret });
    expect(granted.status).toBe(200);
    const { refresh_token } = (await granted.json()) as { refresh_token: string };
    const refreshed = await api.form('/auth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token });
    const again = (await refreshed.json()) as { refresh_token: string };
    const refresh = { grant_type: 'refresh_token', client_id: clientId, client_secret: secret, refresh_token: again.refresh_token };
    expect((await api.form('/auth/token', refresh)).status).toBe(200);
  });
});

describe('an access token of a user', () => {
  it("reaches every profile of the user, and nobody else's", async () => {
    const mine = await consented(['read', 'write']);
    const second = await createProfile(api.ledger, { kind: 'corporate', name: 'Doe Ltd', state: 'approved', owner: mine.user.id });
    const other = await api.user();
    const { json } = await exchange(mine);
    const { profiles } = (await (await context(json.access_token)).json()) as { profiles: { id: string; perms: string[] }[] };
    expect(profiles).toMatchObject([mine.user.profile, second].map((id) => ({ id, perms: ['read', 'write'] })));
    const addresses = (profile: string) =>
      fetch(`${api.url}/addresses?profile=${profile}`, { headers: { Authorization: `Bearer ${json.access_token}` } });
    expect((await addresses(second)).status).toBe(200);
    expect((await addresses(other.profile)).status).toBe(403);
  });
});
