import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { processorMs } from '../support/processor-time.ts';
import { createTestConsole, useTestConsole } from './support/test-console.ts';

const console = useTestConsole();

it('takes changes from its own pages alone, as JSON', async () => {
  const viewer = await console.signedIn('viewer');
  const signOut = (headers: Record<string, string>) =>
    console.send('POST', '/api/sign-out/everywhere', { headers: { Cookie: `console-3010=${viewer.secret}`, ...headers } });
  for (const headers of [
    { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
    { 'Sec-Fetch-Site': 'same-site', Origin: 'http://localhost:3011' },
    { Origin: 'null' },
    { Host: 'evil.example:3010', Origin: 'http://evil.example:3010' },
  ])
    expect(await signOut(headers)).toMatchObject({ status: 403, json: { code: 'cross_site_request' } });
  expect(await signOut({ 'Content-Type': 'text/plain' })).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
  expect(await viewer.get('/api/me')).toMatchObject({ status: 200 });
  expect(await signOut({})).toMatchObject({ status: 200, json: { ended: 1 } });
  expect(await viewer.get('/api/me')).toMatchObject({ status: 401 });
});

it('answers reads of other sites neither, nor for another host', async () => {
  const viewer = await console.signedIn('viewer');
  const headers = { Cookie: `console-3010=${viewer.secret}` };
  expect(await console.send('GET', '/api/me', { headers: { ...headers, 'Sec-Fetch-Site': 'cross-site' } })).toMatchObject({ status: 403 });
  expect(await console.send('GET', '/api/me', { headers: { ...headers, Host: 'rebound.example:3010' } })).toMatchObject({ status: 403 });
});

it('says how to build the pages, then serves them with a nonce, and files with a hash for ever', async () => {
  expect(await console.send('GET', '/orders')).toMatchObject({
    status: 503,
    text: expect.stringContaining('npm run build:console') as string,
  });
  const { bundle } = console.deps;
  mkdirSync(path.join(bundle, 'assets'), { recursive: true });
  writeFileSync(path.join(bundle, 'index.html'), '<html><head><script type="module" src="/assets/x-1.js"></script></head></html>');
  writeFileSync(path.join(bundle, 'assets', 'x-1.js'), 'export {}');
  const page = await console.send('GET', '/orders/anything');
  const [, nonce = 'none'] = /script-src 'self' 'nonce-([^']+)'/.exec(page.headers.get('Content-Security-Policy') ?? '') ?? [];
  expect(page.text).toContain(`<script nonce="${nonce}" type="module"`);
  expect(page.headers.get('Cache-Control')).toBe('no-store');
  expect(page.headers.get('Content-Security-Policy')).not.toContain('unsafe');
  const file = await console.send('GET', '/assets/x-1.js');
  expect(file.headers.get('Cache-Control')).toContain('immutable');
  for (const hidden of ['/assets/..%2f..%2finstance.json', '/assets/%2e%2e%2findex.html', '/assets/.hidden.js', '/api/nothing'])
    expect((await console.send('GET', hidden)).status, hidden).toBeGreaterThanOrEqual(401);
});

it('signs in by the link of a sandbox while it runs, from its machine alone', async () => {
  const token = 'x'.repeat(43);
  const sandbox = await createTestConsole({ env: { CONSOLE_LINK: token } });
  const production = await createTestConsole({ env: { CONSOLE_LINK: token, MINTRAIL_ENVIRONMENT: 'production' } });
  const wrong = await sandbox.send('POST', '/api/sign-in/link', { body: { secret: 'y'.repeat(43) } });
  const right = await sandbox.send('POST', '/api/sign-in/link', { body: { secret: token } });
  const refused = await production.send('POST', '/api/sign-in/link', { body: { secret: token } });
  const cookie = right.headers.get('Set-Cookie') ?? '';
  const me = await sandbox.send('GET', '/api/me', { headers: { Cookie: cookie.split(';')[0] ?? '' } });
  await Promise.all([sandbox.close(), production.close()]);
  expect([wrong.status, right.status, refused.status]).toEqual([401, 200, 401]);
  expect(cookie).toMatch(/^console-3010=[\w-]{43}; .*HttpOnly; SameSite=Strict/);
  expect(me.json).toMatchObject({ name: 'sandbox', role: 'administrator' });
});

it('only a network that others know, too, has links to its explorer', async () => {
  const tokens = `eur:0x${'1'.repeat(40)}`;
  const local = { CHIADO_TOKENS: tokens, CHIADO_RPC_URLS: 'http://127.0.0.1:8545,http://localhost:8546' };
  const env = { ...local, GNOSIS_TOKENS: tokens, GNOSIS_RPC_URLS: 'http://127.0.0.1:8545,https://rpc.example' };
  const other = await createTestConsole({ env, url: console.deps.settings.databaseUrl ?? '' });
  const { json } = await (await other.signedIn('viewer')).get('/api/me');
  expect(json).toMatchObject({ explorers: { gnosis: 'https://gnosisscan.io' } });
  expect(json.chains.toSorted()).toEqual(['chiado', 'gnosis']);
  expect(json.explorers).not.toHaveProperty('chiado');
  await other.close();
});

it('a text that PostgreSQL cannot hold is an error of the request, wherever it stands', async () => {
  const treasurer = await console.signedIn('treasurer');
  for (const text of ['a\u0000b', '\ud800']) {
    const asked = await treasurer.act('bank.undo-claim/preview', { claim: text, reason: 'r' });
    expect(asked).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
  }
  for (const to of ['/api/audit?actor=%00', '/api/bank/unmatched?after=%00'])
    expect(await treasurer.get(to)).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
});

it('turns down a body of many levels or of another encoding, before the sign-in and behind it, and takes one of many parts soon', async () => {
  const { secret } = await console.signedIn('viewer');
  const sent = async (to: string, text: string | Buffer<ArrayBuffer>) => {
    const headers = {
      Host: 'localhost:3010',
      Origin: 'http://localhost:3010',
      'Content-Type': 'application/json',
      Cookie: `console-3010=${secret}`,
    };
    return (await console.app.request(`http://localhost:3010${to}`, { method: 'POST', headers, body: text })).status;
  };
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(await sent('/api/sign-in/passkey', `{"state":"x","credential":{"a":${deep}}}`)).toBe(400);
  expect(await sent('/api/actions/operators.disable', `{"a":${deep}}`)).toBe(400);
  expect(await sent('/api/sign-in/passkey', Buffer.from('{"state":"ö","credential":{}}', 'latin1'))).toBe(400);
  const wide = `{"state":"x","credential":{"a":[${'[],'.repeat(300_000)}0]}}`;
  const answer = async () => expect(await sent('/api/sign-in/passkey', wide)).toBe(401);
  expect(await processorMs(1_000, answer)).toBeLessThan(1_000);
});

it('takes 16 kB from somebody who is not signed in, and a megabyte from an operator', async () => {
  const body = { name: 'x'.repeat(17_000), password: 'x', code: 'x' };
  expect(await console.send('POST', '/api/sign-in/password', { body })).toMatchObject({ status: 413, json: { code: 'body_too_large' } });
  const unknown = { Cookie: `console-3010=${'x'.repeat(43)}` };
  expect(await console.send('POST', '/api/sign-in/password', { body, headers: unknown })).toMatchObject({ status: 413 });
  const administrator = await console.signedIn('administrator');
  const headers = { Cookie: `console-3010=${administrator.secret}` };
  expect(await console.send('POST', '/api/sign-in/password', { body, headers })).toMatchObject({ status: 400 });
});

it.each(['application/json', 'application/octet-stream'])('counts %s that comes without a session by network address', async (type) => {
  const limited = await createTestConsole({ env: { RATE_LIMITS: 'address:3' } });
  const viewer = await limited.signedIn('viewer');
  const link = (headers: Record<string, string> = {}) =>
    limited.send('POST', '/api/sign-in/link', { body: { secret: 'x' }, headers: { 'Content-Type': type, ...headers } });
  for (let sent = 0; sent < 3; sent += 1) expect((await link()).status).not.toBe(429);
  expect(await link()).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
  expect((await link({ Cookie: `console-3010=${viewer.secret}` })).status).toBe(type === 'application/json' ? 401 : 400);
  await limited.close();
});
