import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { createTestApi } from '../support/test-api.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';
import { processorMs } from '../../support/processor-time.ts';

/** Bytes of a body, below the limit of 256 kB. */
const bodyBytes = 160_000;

/** Bytes of a header or URL: Node refuses more than 16 KiB of them. */
const headerBytes = 15_000;

/** CPU milliseconds that one anonymous request may cost. */
const maxCost = 50;

const redirectUri = 'https://client.example/callback';
/** A browser's cookie, and the token that its forms carry: pages give both to anybody. */
const cookie = 'c'.repeat(43);
const csrf = createHash('sha256').update(`csrf ${cookie}`).digest('base64url');
const client = { client_id: '', redirect_uri: redirectUri, code_challenge: 'A'.repeat(43) };

const api = forWholeFile(createTestApi);
beforeAll(async () => {
  const { user } = await api.partner();
  const { id } = await createApplication(api.ledger, {
    kind: 'authorization_code',
    name: 'Shop',
    owner: user,
    redirectUris: [redirectUri],
  });
  client.client_id = id;
});

const repeat = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes);
const distinct = (bytes: number) => {
  const parameters = [];
  for (let size = 0, index = 0; size < bytes; index += 1) size += parameters[parameters.push(`${index.toString(36)}=`) - 1]!.length + 1;
  return parameters.join('&');
};
const query = (fields: Record<string, string> = client) => new URLSearchParams(fields).toString();

/** The processor milliseconds that an answer costs. */
const costMilliseconds = (method: string, path: string, init: { headers?: Record<string, string>; body?: string }) =>
  processorMs(maxCost, async () => (await api.app.request(path, { method, ...init })).text());

const bodies: [string, (prefix: string) => string][] = [
  ['many parameters', (prefix) => `${prefix}&${distinct(bodyBytes)}`],
  ['many parameters, the last repeated', (prefix) => `${prefix}&${distinct(bodyBytes)}&last=&last=`],
  ['one parameter, repeated', (prefix) => `${prefix}&${repeat('x&', bodyBytes)}`],
  ['empty parameters', (prefix) => `${prefix}&${repeat('&', bodyBytes)}`],
  ['a long value', (prefix) => `${prefix}&state=${repeat('a', bodyBytes)}`],
  ['long escapes', (prefix) => `${prefix}&state=${repeat('%f0%9f%98%80', bodyBytes)}`],
  ['broken escapes', (prefix) => `${prefix}&state=${repeat('%', bodyBytes)}`],
  ['a long email', (prefix) => `${prefix}&email=${repeat('a.b@', bodyBytes)}&password=${repeat('x', 8)}`],
  ['a long password', (prefix) => `${prefix}&email=a%40b.example&password=${repeat('ﷺ', 50_000)}`],
  ['a long signature', (prefix) => `${prefix}&authentication_method=siwe&message=m&signature=0x${repeat('ab', bodyBytes)}`],
  ['a long message', (prefix) => `${prefix}&authentication_method=siwe&signature=0x00&message=${repeat('https%3A%2F%2Fa', bodyBytes)}`],
  ['a message of many lines', (prefix) => `${prefix}&authentication_method=siwe&signature=0x00&message=${repeat('-+a%0A', 24_000)}`],
  [
    'a message of many resources',
    (prefix) => `${prefix}&authentication_method=siwe&signature=0x00&message=${encodeURIComponent(siwe(8_000))}`,
  ],
  ['nested brackets', () => repeat('[', bodyBytes)],
  ['deep JSON', () => `{"a":${repeat('[', bodyBytes / 2)}${repeat(']', bodyBytes / 2)}}`],
];

function siwe(bytes: number): string {
  const head = `client.example wants you to sign in with your Ethereum account:\n0x${'0'.repeat(40)}\n\n\nURI: ${redirectUri}\nVersion: 1\nChain ID: 1\nNonce: 12345678\nIssued At: 2026-01-01T00:00:00Z\nResources:`;
  return head + repeat('\n- a:a', bytes - head.length);
}

const header = (name: string, text: string): [string, string, string] => [name, repeat(text, headerBytes), text];

const forms = 'application/x-www-form-urlencoded';

describe('an anonymous request costs less than 50 ms', () => {
  describe.each([
    ['POST', '/auth/token', forms, (): string => `grant_type=client_credentials`],
    ['POST', '/auth', forms, (): string => query()],
    ['POST', '/authorize/sign-in', forms, (): string => `csrf=${csrf}`],
    ['POST', '/authorize/sign-up', forms, (): string => `csrf=${csrf}`],
    ['POST', '/orders', 'application/json', (): string => ''],
    ['POST', '/webhooks', 'application/json', (): string => ''],
    ['POST', '/files', 'multipart/form-data; boundary=x', (): string => ''],
    ['POST', '/nowhere', 'application/json', (): string => ''],
  ] as const)('%s %s', (method, path, type, prefix) => {
    it.each(bodies)('with %s', async (_, body) => {
      const url = path.startsWith('/authorize') ? `${path}?${query()}` : path;
      const cost = await costMilliseconds(method, url, {
        headers: { 'Content-Type': type, Cookie: `session=${cookie}` },
        body: path === '/auth/token' ? body(prefix()).slice(0, 16_000) : body(prefix()),
      });
      expect(cost).toBeLessThan(maxCost);
    });
  });

  it.each([
    header('Accept', 'application/vnd.a.a,'),
    header('Accept', 'a;q=0.000;'),
    header('Authorization', 'Bearer '),
    header('Authorization', 'Bearer a=b='),
    header('Cookie', 'session=a; '),
    header('Cookie', 'a'),
    header('Content-Type', 'application/vnd.a'),
    header('Content-Type', 'a;'),
    header('X-Correlation-Id', 'a'),
    header('X-Forwarded-For', '1:,'),
    header('X-Forwarded-For', 'a:'),
    header('X-Forwarded-For', '[::1]:1'),
    header('X-Forwarded-For', '1.1'),
    header('Idempotency-Key', '"\\'),
    header('Origin', 'https://a'),
    header('If-None-Match', 'W/"'),
    header('Last-Event-ID', 'a-'),
  ])('with a long %s', async (name, value) => {
    for (const path of ['/', '/orders', '/orders/stream', `/authorize/start?${query()}`])
      expect(await costMilliseconds('GET', path, { headers: { [name]: value } })).toBeLessThan(maxCost);
  });

  it.each(['/auth', '/authorize/start', '/orders', '/countries', '/', '/docs', '/openapi.json'])(
    'with a long query of %s',
    async (path) => {
      for (const search of [distinct(headerBytes), repeat('state=a&', headerBytes), repeat('a[', headerBytes)])
        expect(await costMilliseconds('GET', `${path}?${query()}&${search}`, {})).toBeLessThan(maxCost);
    },
  );

  it.each(['a/', '%2e%2e/', '/', ':', '%e0%a4', '.'])('with a long path of %s', async (text) => {
    for (const root of ['/', '/orders/', '/ibans/', '/docs/', '/authorize/'])
      expect(await costMilliseconds('GET', root + repeat(text, headerBytes), {})).toBeLessThan(maxCost);
  });
});
