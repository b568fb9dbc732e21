import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { Agent, request, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { errorResponse } from '../../../src/api/http/error-response.ts';
import { createAppServer } from '../../../src/platform/http/app-server.ts';
import { createLog } from '../../../src/platform/log.ts';
import { sendBytes } from '../../fuzz/send-bytes.ts';

const closing = new AbortController();
const lines: string[] = [];
const log = createLog('info', {}, { write: (line: string) => void lines.push(line) });
const slow = Promise.withResolvers<Response>();
const begun = Promise.withResolvers<void>();
let server: Server;
let port: number;

beforeAll(async () => {
  server = createAppServer({
    async fetch({ url }) {
      const { pathname } = new URL(url);
      if (pathname === '/broken') throw new Error('a secret');
      if (pathname === '/never') return new Promise<Response>(() => {});
      if (pathname !== '/slow') return Response.json({ url });
      begun.resolve();
      return slow.promise;
    },
    answerError: errorResponse,
    keepAliveSeconds: 75,
    trustedProxies: 0,
    closing: closing.signal,
    log,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => server.closeAllConnections());

const send = (text: string) => sendBytes(port, Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1'), { cutOff: false });

it.each([
  ['a head that is too large', `GET / HTTP/1.1\nHost: x\nX: ${'x'.repeat(20_000)}\n\n`, 431, 'request_head_too_large'],
  ['a target that is too long', `GET /${'x'.repeat(20_000)} HTTP/1.1\n\n`, 431, 'request_head_too_large'],
  ['a header without a name', 'GET / HTTP/1.1\nHost: x\n: y\n\n', 400, 'invalid_request'],
  ['a length that is none', 'POST / HTTP/1.1\nHost: x\nContent-Length: -1\n\n', 400, 'invalid_request'],
  ['a chunk that is none', 'POST /never HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\nx\n', 400, 'invalid_request'],
  ['bytes that are no HTTP', '\x16\x03\x01\x02\x00\x01\n\n', 400, 'invalid_request'],
  ['a target that is none', 'GET * HTTP/1.1\nHost: x\nConnection: close\n\n', 400, 'invalid_request'],
  ['a host that is none', 'GET / HTTP/1.1\nHost: a b\nConnection: close\n\n', 400, 'invalid_request'],
  ['another expectation', 'POST / HTTP/1.1\nHost: x\nExpect: 200-ok\nContent-Length: 1\n\n', 417, 'expectation_failed'],
  ['an unknown method', 'BREW /orders HTTP/1.1\nHost: x\n\n', 501, 'not_implemented'],
  ['a tunnel', 'CONNECT a.example:443 HTTP/1.1\nHost: a.example:443\n\n', 501, 'not_implemented'],
  ['an error that nobody foresaw', 'GET /broken HTTP/1.1\nHost: x\nConnection: close\n\n', 500, 'internal_error'],
])('%s has an error body, a correlation id and a log line', async (_, text, status, reason) => {
  const answer = await send(text);
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.body)).toMatchObject({ code: status, reason, message: expect.not.stringContaining('secret') });
  const [, id = 'none'] = /^X-Correlation-Id: (\S+)$/im.exec(answer.head) ?? [];
  expect(lines.filter((line) => line.includes(id))).toHaveLength(1);
  expect(answer.head).toMatch(/^Connection: close$/im);
});

it('the correlation id is that of the request where its head was read', async () => {
  const answer = await send('GET / HTTP/1.1\nHost: a b\nX-Correlation-Id: mine\n\n');
  expect(answer.head).toMatch(/^X-Correlation-Id: mine$/im);
});

it('a request of HTTP/1.0 needs no host', async () => {
  expect(JSON.parse((await send('GET /health HTTP/1.0\n\n')).body)).toEqual({ url: 'http://localhost/health' });
});

it('says for the server as a whole which methods it has', async () => {
  const answer = await send('OPTIONS * HTTP/1.1\nHost: x\nX-Correlation-Id: mine\nConnection: close\n\n');
  expect(answer).toMatchObject({ status: 204, body: '' });
  expect(answer.head).toMatch(/^Allow: GET, HEAD, POST, PATCH, DELETE, OPTIONS$/im);
  expect(answer.head).toMatch(/^X-Correlation-Id: mine$/im);
});

it('waits for the head of a request a short time, on a new connection too', () => {
  expect(server).toMatchObject({ headersTimeout: 15_000, keepAliveTimeout: 75_000 });
});

it('garbage behind a request does not end up in its answer', async () => {
  const { body } = await send('GET / HTTP/1.1\nHost: x\n\n\x00\n\n');
  expect(() => JSON.parse(body)).not.toThrow();
});

it('connections are kept for longer than a minute, and end with the last answer when the process shuts down', async () => {
  const agent = new Agent({ keepAlive: true });
  const get = async (path: string) => {
    const [response] = await once(request({ port, host: '127.0.0.1', path, agent }).end(), 'response');
    response.resume();
    await once(response, 'end');
    return response.headers;
  };
  expect(await get('/')).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=75' });
  const inFlight = get('/slow');
  await begun.promise;
  const later = connect(port, '127.0.0.1');
  await once(later, 'connect');
  closing.abort();
  later.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [answer] = await once(later, 'data');
  expect(String(answer)).toMatch(/^Connection: close$/im);
  const closed = new Promise((resolve) => server.close(resolve));
  slow.resolve(Response.json({}));
  expect(await inFlight).toMatchObject({ connection: 'close' });
  await closed;
  agent.destroy();
});
