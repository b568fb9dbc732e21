import { describe, expect, it } from 'vitest';
import { issueCode } from '../../../src/ledger/access/authorization-codes.ts';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { createTestApi } from '../support/test-api.ts';
import { basic, pkce, redirectUri } from './client.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);

const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
const revoke = (fields: Record<string, string>, more: Record<string, string> = {}) =>
  api.send('POST', '/auth/revoke', { headers: { ...headers, ...more }, body: new URLSearchParams(fields).toString() });
const works = async (accessToken: string) =>
  (await api.send('GET', '/auth/context', { headers: { Authorization: `Bearer ${accessToken}` } })).status === 200;

/** A public application with the tokens that a user granted it. */
async function granted() {
  const { user } = await api.partner();
  const { id } = await createApplication(api.ledger, { kind: 'authorization_code', name: 'Web', owner: user, redirectUris: [redirectUri] });
  const { verifier, challenge } = await pkce();
  const authorization = {
    user,
    application: id,
    redirectUri,
    codeChallenge: challenge,
    proof: { method: 'password' as const, subject: 'jane' },
  };
  const code = await inTransaction(api.ledger, (tx) => issueCode(tx, { ...authorization, permissions: ['read'] }));
  const grant = { grant_type: 'authorization_code', client_id: id, code, code_verifier: verifier, redirect_uri: redirectUri };
  return { client: { client_id: id }, tokens: (await api.form(grant)).json };
}

describe('POST /auth/revoke', () => {
  it('ends a refresh token with every token of its family, also after the token was used', async () => {
    const { client, tokens } = await granted();
    const { json: second } = await api.form({ grant_type: 'refresh_token', ...client, refresh_token: tokens.refresh_token });
    const { status, json } = await revoke({ ...client, token: tokens.refresh_token, token_type_hint: 'refresh_token' });
    expect([status, json]).toEqual([200, {}]);
    expect(await works(second.access_token)).toBe(false);
    const refresh = { grant_type: 'refresh_token', ...client, refresh_token: second.refresh_token };
    expect((await api.form(refresh)).json.error).toBe('invalid_grant');
  });

  it('ends an access token alone', async () => {
    const { client, tokens } = await granted();
    expect((await revoke({ ...client, token: tokens.access_token, token_type_hint: 'refresh_token' })).status).toBe(200);
    expect(await works(tokens.access_token)).toBe(false);
    expect((await api.form({ grant_type: 'refresh_token', ...client, refresh_token: tokens.refresh_token })).status).toBe(200);
  });

  it('answers an unknown token, and one that is revoked already, in the same way', async () => {
    const { client, tokens } = await granted();
    for (const token of [tokens.refresh_token, tokens.refresh_token, 'unknown'])
      expect((await revoke({ ...client, token })).json).toEqual({});
  });

  it('requires the secret of an application that has to prove itself', async () => {
    const { clientId, secret, tokens } = await api.partner('whitelabel');
    const fields = { client_id: clientId, token: tokens.refresh_token };
    for (const failing of [fields, { ...fields, client_secret: 'guess' }, { ...fields, client_id: crypto.randomUUID() }]) {
      const { status, json } = await revoke(failing);
      expect([status, json.error]).toEqual([400, 'invalid_client']);
    }
    expect(await works(tokens.access_token)).toBe(true);
    expect((await revoke({ ...fields, client_secret: secret })).status).toBe(200);
  });

  it('takes credentials by HTTP Basic', async () => {
    const { clientId, secret, tokens } = await api.partner();
    const wrong = await revoke({ token: tokens.refresh_token }, basic(clientId, 'guess'));
    expect([wrong.status, wrong.headers.get('WWW-Authenticate')?.split(' ')[0]]).toEqual([401, 'Basic']);
    expect((await revoke({ token: tokens.refresh_token }, basic(clientId, secret))).status).toBe(200);
    expect(await works(tokens.access_token)).toBe(false);
  });

  it("keeps another client's token, and says so (RFC 7009, section 2.1)", async () => {
    const [mine, theirs] = [await granted(), await granted()];
    for (const token of [theirs.tokens.refresh_token, theirs.tokens.access_token])
      expect((await revoke({ ...mine.client, token })).json).toMatchObject({ code: 400, error: 'invalid_grant' });
    expect(await works(theirs.tokens.access_token)).toBe(true);
  });

  it('names what is missing, and refuses what is sent twice', async () => {
    expect((await revoke({})).json).toMatchObject({ error: 'invalid_request', errors: { client_id: 'is required', token: 'is required' } });
    const { json } = await api.send('POST', '/auth/revoke', { headers, body: 'token=a&token=b' });
    expect(json.errors).toEqual({ token: 'must not be repeated' });
  });
});
