import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { answerIn, createOAuthApi, pkce, redirectUri } from './client.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';
import { anyText } from '../../support/any-text.ts';

const api = forWholeFile(createOAuthApi);
let clientId: string;
let challenge: string;
beforeAll(async () => {
  clientId = await api.client();
  ({ challenge } = await pkce());
});

const sound = (more: Record<string, string> = {}) => ({
  client_id: clientId,
  code_challenge: challenge,
  code_challenge_method: 'S256',
  redirect_uri: redirectUri,
  ...more,
});

const optional = ['redirect_uri', 'code_challenge_method', 'response_type', 'email', 'auth_mode', 'authentication_method'];

describe('a sound request', () => {
  it('sends the user by 307 to the hosted flow, by GET and by POST', async () => {
    for (const response of [await api.ask(sound({ state: 'x' })), await api.form('/auth', sound({ state: 'x' }))]) {
      expect(response.status).toBe(307);
      const to = new URL(response.headers.get('Location') ?? '');
      expect(to.origin + to.pathname).toBe(`${api.url}/authorize/start`);
      expect(Object.fromEntries(to.searchParams)).toEqual({ ...sound(), state: 'x' });
    }
  });

  // RFC 6749, section 3.1.
  it.each<[string, Record<string, string>]>([
    ['that nobody knows', { response_type: 'code', scope: 'a', details: '{}' }],
    ['of no value', Object.fromEntries([...optional, 'state'].map((name) => [name, '']))],
  ])('may have parameters %s, which count as left out', async (_, more) => {
    const response = await api.ask(sound(more));
    const answer = Object.fromEntries(answerIn(response));
    expect([response.status, answer]).toEqual([
      307,
      expect.objectContaining({ ...sound(), code_challenge_method: answer['code_challenge_method'] }),
    ]);
    for (const name of ['scope', 'details', 'state']) expect(answer).not.toHaveProperty(name);
  });
});

/** Answers of RFC 6749 have printable ASCII without quotes and backslashes (section 4.1.2.1). */
const printable = expect.stringMatching(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/) as string;

describe('what is wrong with a request', () => {
  it.each<[Record<string, string>, string, string]>([
    [{ code_challenge_method: 'plain' }, 'invalid_request', 'code_challenge_method must be S256'],
    [{ code_challenge: '' }, 'invalid_request', 'code_challenge is required'],
    [{ code_challenge: 'short' }, 'invalid_request', printable],
    [{ auth_mode: '"é\\' }, 'invalid_request', printable],
    ...['token', 'id_token', 'code token'].map((type) => [{ response_type: type }, 'unsupported_response_type', printable] as const),
  ] as [Record<string, string>, string, string][])(
    'is told by a redirect, with the state unchanged and the issuer: %j',
    async (wrong, error, error_description) => {
      const state = 'a b+c%20&d=é"\\<script>\n😀';
      expect(await refused(sound({ ...wrong, state }))).toEqual({ error, error_description, state, iss: api.url });
    },
  );

  it('is a missing challenge, of a confidential client too (RFC 9700, section 2.1.1)', async () => {
    const id = await api.client();
    await api.ledger.updateTable('applications').set({ isConfidential: true }).where('id', '=', id).execute();
    expect(await refused(sound({ client_id: id, code_challenge: '' }))).toMatchObject({ error: 'invalid_request' });
  });

  it('is a parameter that comes twice', async () => {
    const query = `${new URLSearchParams(sound()).toString()}&code_challenge=b`;
    const response = await fetch(`${api.url}/auth?${query}`, { redirect: 'manual' });
    expect([response.status, answerIn(response).get('error_description')]).toEqual([302, 'code_challenge must not be repeated']);
  });

  it('is a state that no redirect could carry', async () => {
    const { error, state, error_description } = await refused(sound({ state: 'x'.repeat(4_097) }));
    expect([error, state, error_description]).toEqual(['invalid_request', undefined, 'state must be at most 4096 characters long']);
    expect((await api.ask(sound({ state: 'x'.repeat(4_096) }))).status).toBe(307);
  });
});

describe('an app on a machine or a phone', () => {
  it.each([
    ['http://127.0.0.1/back', 'http://127.0.0.1:51004/back'],
    ['http://127.0.0.1:8400/back', 'http://127.0.0.1/back'],
    ['http://[::1]/?a=1', 'http://[::1]:51004/?a=1'],
    ['http://localhost', 'http://localhost:51004'],
    ['com.example.app:/back', 'com.example.app:/back'],
  ])('that registered %s may be reached at %s', async (registered, requested) => {
    const id = await api.client({ redirectUris: [registered] });
    const response = await api.ask(sound({ client_id: id, redirect_uri: requested }));
    expect([response.status, answerIn(response).get('redirect_uri')]).toEqual([307, requested]);
    const failed = await api.ask({ client_id: id, redirect_uri: requested });
    expect(failed.headers.get('Location')?.startsWith(`${requested}${requested.includes('?') ? '&' : '?'}error=invalid_request`)).toBe(
      true,
    );
  });

  it.each([
    'http://127.0.0.1:51004/other',
    'http://127.0.0.1:51004/back/',
    'http://127.0.0.1:51004/back#a',
    'http://127.0.0.1:99999/back',
    'http://127.0.0.1:51004@evil.example/back',
    'http://127.0.0.1:51004\\@evil.example/back',
    'http://127.0.0.1.evil.example/back',
    'http://localhost:51004/back',
    'https://127.0.0.1:51004/back',
    'com.example.app:/other',
    'COM.example.app:/back',
  ])('is reached nowhere else, as at %s', async (requested) => {
    const id = await api.client({ redirectUris: ['http://127.0.0.1/back', 'com.example.app:/back'] });
    await refusedOutright(sound({ client_id: id, redirect_uri: requested }), 'redirect_uri');
  });
});

describe('nobody is redirected', () => {
  it('for a client that is unknown, missing, malformed, disabled or of another kind', async () => {
    await refusedOutright(sound({ client_id: '00000000-0000-4000-8000-000000000000' }), 'client_id');
    await refusedOutright({ redirect_uri: redirectUri, code_challenge: challenge }, 'client_id');
    await refusedOutright(sound({ client_id: 'shop' }), 'client_id');
    const disabled = await api.client();
    await api.ledger.updateTable('applications').set({ disabledAt: new Date() }).where('id', '=', disabled).execute();
    await refusedOutright(sound({ client_id: disabled }), 'client_id');
    const whitelabel = await api.client();
    await api.ledger.updateTable('applications').set({ kind: 'whitelabel' }).where('id', '=', whitelabel).execute();
    await refusedOutright(sound({ client_id: whitelabel }), 'client_id');
  });

  it.each([
    'https://evil.example/callback',
    'https://shop.example.evil.example/callback',
    'https://shop.example@evil.example/callback',
    'https://shop.example/callback/',
    'https://shop.example/callback/../evil',
    'https://shop.example/callback?next=https://evil.example',
    'https://shop.example/callback#x',
    'https://shop.example:443/callback',
    'http://shop.example/callback',
    'HTTPS://shop.example/callback',
    '//evil.example',
    'javascript:alert(1)',
    ' https://shop.example/callback',
  ])('to %j, which is not registered exactly so', (uri) => refusedOutright(sound({ redirect_uri: uri }), 'redirect_uri'));

  it('without a redirect URI where several are registered', async () => {
    const id = await api.client({ redirectUris: [redirectUri, `${redirectUri}2`] });
    await refusedOutright(sound({ client_id: id, redirect_uri: '' }), 'redirect_uri');
  });

  it('when client or redirect URI come twice', async () => {
    const query = `${new URLSearchParams(sound()).toString()}&redirect_uri=https://evil.example`;
    expect((await fetch(`${api.url}/auth?${query}`, { redirect: 'manual' })).status).toBe(400);
  });

  it('for a body that is no form', async () => {
    const response = await fetch(`${api.url}/auth`, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'invalid_request', errors: { body: expect.any(String) } });
  });
});

describe('whatever is sent to /auth and the pages', () => {
  const nasty = fc.oneof(anyText(), fc.constantFrom('\0', '0x', '__proto__', "' or 1=1 --", '\u{10ffff}', 'x'.repeat(5_000)));
  const names = ['client_id', 'code_challenge', 'code_challenge_method', 'redirect_uri', 'state', 'email', 'skip_kyc', 'auth_mode'];
  const siwe = ['authentication_method', 'message', 'signature'];

  it('is never answered by 500, and never leads anywhere but to the client and to us', async () => {
    const change = fc.tuple(fc.constantFrom(...names, ...siwe), nasty);
    const path = fc.constantFrom('/auth', '/authorize/start', '/authorize/sign-in', '/authorize/consent');
    const method = fc.constantFrom('GET', 'POST');
    await fc.assert(
      fc.asyncProperty(
        path,
        method,
        fc.array(change, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (path, method, changes, bySiwe) => {
          const start = sound(bySiwe ? { authentication_method: 'siwe', message: 'm', signature: '0xab' } : {});
          const query = new URLSearchParams({ ...start, ...Object.fromEntries(changes) });
          const inBody = path === '/auth' && method === 'POST';
          const response = await fetch(`${api.url}${path}${inBody ? '' : `?${query.toString()}`}`, {
            method,
            redirect: 'manual',
            headers: { Origin: api.url },
            ...(method === 'POST' ? { body: inBody ? query : new URLSearchParams() } : {}),
          });
          expect(response.status).toBeLessThan(500);
          const location = response.headers.get('Location') ?? 'start?';
          expect(
            [`${redirectUri}?`, `${api.url}/authorize/start?`, 'start?', 'sign-in?', 'sign-up?'].some((to) => location.startsWith(to)),
          ).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });
});

async function refused(query: Record<string, string>) {
  const response = await api.ask(query);
  expect(response.status).toBe(302);
  expect(response.headers.get('Location')?.startsWith(`${redirectUri}?`)).toBe(true);
  return Object.fromEntries(answerIn(response));
}

async function refusedOutright(query: Record<string, string>, field: string) {
  for (const response of [await api.ask(query), await api.form('/auth', query)]) {
    expect([response.status, response.headers.has('Location')]).toEqual([400, false]);
    expect(await response.json()).toMatchObject({
      code: 400,
      status: 'Bad Request',
      message: 'Validation errors',
      errors: { [field]: expect.any(String) },
      error: 'invalid_request',
      error_description: expect.stringContaining(field),
    });
  }
}
