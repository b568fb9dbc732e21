import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { rotateSecret } from '../../../src/ledger/access/applications/rotate-secret.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { untilWaiting } from '../../support/waiting-for-locks.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';
import { createTestApi } from '../support/test-api.ts';
import { basic, redirectUri } from './client.ts';

const api = forWholeFile(createTestApi);

describe('POST /auth/token', () => {
  type Client = { clientId: string; secret: string };
  const refresh = ({ clientId, secret }: Client, token: string) =>
    api.form({ grant_type: 'refresh_token', client_id: clientId, client_secret: secret, refresh_token: token });

  it('answers client credentials with an opaque token for an hour, the default profile and the user', async () => {
    const { clientId, secret, profile, user } = await api.partner();
    const { status, json, headers } = await api.form({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret });
    expect(status).toBe(200);
    expect(json).toMatchObject({ expires_in: 3600, token_type: 'Bearer', profile, userId: user });
    expect(json.refresh_token).not.toBe(json.access_token);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      pragma: 'no-cache',
      'content-type': expect.stringMatching(/^application\/json/),
    });
  });

  it('keeps neither secret nor token, only their hashes', async () => {
    const { secret, tokens } = await api.partner();
    const { rows } = await sql<{ text: string }>`
      select coalesce(string_agg(a::text, ''), '') || (select string_agg(t::text, '') from access_tokens t) ||
        (select string_agg(r::text, '') from refresh_tokens r) || (select string_agg(g::text, '') from grants g) as text from applications a
    `.execute(api.ledger);
    const kept = rows[0]?.text ?? '';
    for (const value of [secret, tokens.access_token, tokens.refresh_token]) {
      expect(kept).not.toContain(value);
      expect(kept).not.toContain(Buffer.from(value, 'base64url').toString('hex'));
    }
  });

  it('refuses a form of more than 200 parameters', async () => {
    const fields = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`field${index}`, '']));
    const { status, json } = await api.form(fields);
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: 'invalid_request', errors: { body: 'must have at most 200 parameters' } });
  });

  it('refuses a wrong secret and an unknown client in the same words', async () => {
    const { clientId } = await api.partner();
    const wrong = await api.form({ grant_type: 'client_credentials', client_id: clientId, client_secret: 'guess' });
    const unknown = await api.form({
      grant_type: 'client_credentials',
      client_id: '00000000-0000-4000-8000-000000000000',
      client_secret: 'guess',
    });
    expect(wrong.status).toBe(400);
    expect(wrong.json).toMatchObject({ code: 400, status: 'Bad Request', error: 'invalid_client' });
    expect(unknown.json).toEqual(wrong.json);
    const empty = await api.form({ grant_type: 'client_credentials', client_id: clientId, client_secret: '' });
    expect(empty.json).toMatchObject({ code: 400, error: 'invalid_client' });
  });

  it('gives nothing for a secret that ends while it is checked', async () => {
    const { clientId, secret } = await api.partner();
    const { asked } = await inTransaction(api.ledger, async (tx) => {
      await rotateSecret(tx, clientId, { atOnce: true });
      const answer = api.form({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret });
      await untilWaiting(api.ledger);
      return { asked: answer };
    });
    expect(await asked).toMatchObject({ status: 400, json: { error: 'invalid_client' } });
    expect(
      await api.ledger.selectFrom('grants').where('application', '=', clientId).where('endedAt', 'is', null).select('id').execute(),
    ).toEqual([]);
  });

  it('refuses a disabled application', async () => {
    const { clientId, secret } = await api.partner();
    await api.ledger.updateTable('applications').set({ disabledAt: new Date() }).where('id', '=', clientId).execute();
    const { json } = await api.form({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret });
    expect(json.error).toBe('invalid_client');
  });

  it('refuses JSON', async () => {
    const { status, json } = await api.send('POST', '/auth/token', { headers: { 'Content-Type': 'application/json' }, body: '{}' });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: 'invalid_request', errors: { body: expect.stringContaining('x-www-form-urlencoded') } });
  });

  it('names every missing field', async () => {
    const { json } = await api.form({ grant_type: 'client_credentials' });
    expect(json.errors).toEqual({ client_id: 'is required' });
    const code = await api.form({ grant_type: 'authorization_code' });
    expect(Object.keys(code.json.errors)).toEqual(['client_id', 'code', 'code_verifier', 'redirect_uri']);
    expect((await api.form({})).json).toMatchObject({ error: 'invalid_request', error_description: expect.any(String) });
  });

  // RFC 6749, sections 2.3.1 and 3.2.
  it('takes no credentials in the query, and no parameter twice', async () => {
    const { clientId, secret } = await api.partner();
    const post = async (query: string, body: string) =>
      (await api.send('POST', `/auth/token?${query}`, { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body })).json;
    expect(await post(`client_id=${clientId}&client_secret=${secret}`, 'grant_type=client_credentials')).toMatchObject({
      error: 'invalid_request',
      errors: { client_id: 'is required' },
    });
    expect(
      await post('', `grant_type=client_credentials&client_id=${clientId}&client_id=${clientId}&client_secret=${secret}`),
    ).toMatchObject({
      error: 'invalid_request',
      errors: { client_id: 'must not be repeated' },
    });
  });

  it('refuses a grant that is not for the kind of the application', async () => {
    const { user, clientId } = await api.partner('whitelabel');
    const web = await createApplication(api.ledger, { kind: 'authorization_code', name: 'Web', owner: user, isConfidential: true });
    for (const grant of [
      { grant_type: 'client_credentials', client_id: web.id, client_secret: web.secret },
      { grant_type: 'authorization_code', client_id: clientId, code: 'none', code_verifier: 'x'.repeat(43), redirect_uri: redirectUri },
    ])
      expect((await api.form(grant)).json).toMatchObject({
        code: 400,
        error: 'unauthorized_client',
        message: 'The client is not authorized to request a token using this method.',
        error_description: 'The client is not authorized to request a token using this method.',
      });
  });

  it('refuses an unknown grant type', async () => {
    const { json } = await api.form({ grant_type: 'password' });
    expect(json).toMatchObject({
      error: 'unsupported_grant_type',
      errors: { grant_type: 'must be one of client_credentials, refresh_token, authorization_code' },
    });
    // RFC 6749, section 5.2.
    expect((await api.form({ grant_type: 'é"' })).json.error_description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
  });

  it.each([
    ['client_secret=M%F6ller&grant_type=x', 'client_secret', 'must be percent-encoded UTF-8'],
    ['client_secret=Möller', 'body', 'must be UTF-8: byte 16 (0xf6) is not'],
  ])('refuses %s in Latin-1', async (text, field, problem) => {
    const body = Buffer.from(text, 'latin1');
    const { json } = await api.send('POST', '/auth/token', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body });
    expect(json).toMatchObject({ error: 'invalid_request', errors: { [field]: problem } });
  });

  it('lets one of many parallel uses of a refresh token through, and leaves none of its tokens alive', async () => {
    const { tokens, ...client } = await api.partner();
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(client, tokens.refresh_token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const alive = await api.ledger
      .selectFrom('grants')
      .where('application', '=', client.clientId)
      .where('endedAt', 'is', null)
      .select('id')
      .execute();
    expect(alive).toEqual([]);
  });

  it('refuses a refresh token of another client', async () => {
    const [first, second] = [await api.partner(), await api.partner()];
    const { status, json } = await refresh(second, first.tokens.refresh_token);
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: 'invalid_grant', message: 'Client id must be the same from previous token.' });
    expect((await refresh(first, 'none')).json.error).toBe('invalid_grant');
    expect((await refresh(first, first.tokens.refresh_token)).status).toBe(200);
  });

  it('refuses a refresh token after 30 days', async () => {
    const { tokens, ...client } = await api.partner();
    const { rows } = await sql<{ days: number }>`
      with before as (select hash, expires_at from refresh_tokens where grant_id in (select id from grants where application = ${client.clientId}))
      update refresh_tokens t set expires_at = now() from before b where t.hash = b.hash
      returning extract(day from b.expires_at - now())::int as days
    `.execute(api.ledger);
    expect(rows[0]?.days).toBe(29);
    expect((await refresh(client, tokens.refresh_token)).json.error).toBe('invalid_grant');
  });

  it('refreshes for at most 90 days, however often', async () => {
    const { tokens, ...client } = await api.partner();
    const first = await sql<{ days: number }>`
      with before as (select id, ends_at from grants where application = ${client.clientId})
      update grants g set ends_at = now() + interval '2 hours' from before b where g.id = b.id
      returning round(extract(epoch from b.ends_at - now()) / 86400)::int as days
    `.execute(api.ledger);
    expect(first.rows[0]?.days).toBe(90);
    const { json } = await refresh(client, tokens.refresh_token);
    const second = await sql<{ minutes: number }>`
      with before as (select hash, expires_at from refresh_tokens where grant_id in (select id from grants where application = ${client.clientId}) and used_at is null)
      update refresh_tokens t set expires_at = now() from before b where t.hash = b.hash
      returning round(extract(epoch from b.expires_at - now()) / 60)::int as minutes
    `.execute(api.ledger);
    expect(second.rows[0]?.minutes).toBe(120);
    expect((await refresh(client, json.refresh_token)).json).toMatchObject({ error: 'invalid_grant' });
  });

  it.each(['private', 'whitelabel'] as const)(
    'refreshes for a %s application without its secret, unless the operator wants it: then the token waits for it',
    async (kind) => {
      const { tokens, ...client } = await api.partner(kind);
      const grant = { grant_type: 'refresh_token', client_id: client.clientId };
      const first = await api.form({ ...grant, refresh_token: tokens.refresh_token });
      expect(first.status).toBe(200);

      await api.ledger.updateTable('applications').set({ refreshNeedsSecret: true }).where('id', '=', client.clientId).execute();
      const bare = { ...grant, refresh_token: first.json.refresh_token };
      expect((await api.form(bare)).json).toMatchObject({ code: 400, error: 'invalid_client' });
      const { json: second } = await refresh(client, first.json.refresh_token);
      // A used token in the hands of somebody without the secret ends nothing.
      expect((await api.form(bare)).json.error).toBe('invalid_client');
      expect((await refresh(client, second.refresh_token)).status).toBe(200);
    },
  );

  it('refuses a refresh with a wrong client secret', async () => {
    const { clientId, tokens } = await api.partner();
    const grant = { grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens.refresh_token, client_secret: 'guess' };
    expect((await api.form(grant)).json.error).toBe('invalid_client');
  });
});

const encoded = (text: string) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&');

describe('a client that proves itself by HTTP Basic', () => {
  const grant = { grant_type: 'client_credentials' };

  it('gets tokens, with its credentials raw or encoded as in a form, its id in the form or not', async () => {
    const { clientId, secret } = await api.partner();
    for (const headers of [basic(clientId, secret), basic(encoded(clientId), encoded(secret)), basic(clientId.toUpperCase(), secret)])
      for (const more of [{}, { client_id: clientId }]) expect((await api.form({ ...grant, ...more }, headers)).status).toBe(200);
    const { Authorization } = basic(clientId, secret);
    expect((await api.form(grant, { Authorization: Authorization.replace('Basic', 'basic') })).status).toBe(200);
  });

  it('is challenged when it is not known by them', async () => {
    const { clientId, secret } = await api.partner();
    const wrong = [
      basic(clientId, 'guess'),
      basic(crypto.randomUUID(), secret),
      basic(clientId, ''),
      basic('shop', secret),
      basic('%', '%'),
    ];
    for (const headers of [...wrong, { Authorization: 'Basic' }, { Authorization: 'Basic ???' }, { Authorization: 'Digest a="b"' }]) {
      const answer = await api.form(grant, headers);
      expect([answer.status, answer.json.code, answer.json.status, answer.json.error]).toEqual([
        401,
        401,
        'Unauthorized',
        'invalid_client',
      ]);
      expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Basic realm="/);
    }
  });

  it('proves itself in no second way, and as nobody else', async () => {
    const [{ clientId, secret }, other] = [await api.partner(), await api.partner()];
    const twice = await api.form({ ...grant, client_id: clientId, client_secret: secret }, basic(clientId, secret));
    expect(twice.json).toMatchObject({ code: 400, error: 'invalid_request', errors: { client_secret: expect.any(String) } });
    const mixed = await api.form({ ...grant, client_id: other.clientId }, basic(clientId, secret));
    expect(mixed.json).toMatchObject({ code: 400, error: 'invalid_request', errors: { client_id: expect.any(String) } });
  });

  it('may send a bearer token instead, which proves no client: the form counts', async () => {
    const { clientId, secret, headers } = await api.partner();
    expect((await api.form({ ...grant, client_id: clientId, client_secret: secret }, headers)).status).toBe(200);
    expect((await api.form({ ...grant, client_id: clientId }, headers)).json).toMatchObject({ code: 400, error: 'invalid_client' });
  });
});

describe('GET /auth/context', () => {
  it('says who calls, how, and for which profiles', async () => {
    const caller = await api.partner();
    expect((await caller.get('/auth/context')).json).toEqual({
      userId: caller.user,
      email: expect.stringContaining('@example.com'),
      name: 'Jane Doe',
      roles: [],
      // The owner has not proven the email address.
      auth: { method: 'apiKey', subject: caller.clientId, verified: false },
      defaultProfile: caller.profile,
      profiles: [{ id: caller.profile, kind: 'personal', name: 'Jane Doe', state: 'approved', perms: ['read', 'write'] }],
    });
    await api.ledger.updateTable('users').set({ emailVerifiedAt: new Date() }).where('id', '=', caller.user).execute();
    expect((await caller.get('/auth/context')).json.auth.verified).toBe(true);
  });
});
