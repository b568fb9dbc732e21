import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { errorResponse } from '../../../src/api/http/error-response.ts';
import { createAppServer } from '../../../src/platform/http/app-server.ts';
import { createUnfinishedBodies } from '../../../src/platform/http/unfinished-bodies.ts';
import { createLog } from '../../../src/platform/log.ts';
import { until } from '../../support/until.ts';

const open: { server?: Server; sockets: Socket[] } = { sockets: [] };
afterEach(async () => {
  vi.useRealTimers();
  for (const socket of open.sockets.splice(0)) socket.destroy();
  open.server?.closeAllConnections();
  await new Promise((resolve) => open.server?.close(resolve));
});

const names = (ended: IncomingMessage[]) => ended.map(({ headers }) => headers['x-name']);

/** Bodies that a real server watches, and sweeps when the test says so. A request names its network, and whether its body is read. */
async function setUp() {
  const bodies = createUnfinishedBodies();
  const requests = new Map<string, IncomingMessage>();
  const server = createServer((incoming) => {
    const { 'x-network': network = '', 'x-name': name = '' } = incoming.headers as Record<string, string>;
    requests.set(name, incoming);
    incoming.on('error', () => {});
    if (name !== 'unread') incoming.resume();
    bodies.add(incoming, network);
    if (name.startsWith('proven')) bodies.prove(incoming, 'partner');
  });
  open.server = server;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  /** Sends so many bytes of a body of 5 MB, and waits until they have come as far as they get. */
  const send = async (name: string, { network = 'home', bytes = 10 } = {}) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    open.sockets.push(socket);
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nX-Name: ${name}\r\nX-Network: ${network}\r\nContent-Length: 5000000\r\n\r\n`);
    await until('it has come', async () => requests.has(name) || undefined);
    socket.write(Buffer.alloc(bytes));
    const incoming = requests.get(name) as IncomingMessage;
    await until(
      'it has come',
      async () => incoming.readableLength >= incoming.readableHighWaterMark || incoming.socket.bytesRead >= bytes || undefined,
    );
  };
  /** The requests that end with each of so many sweeps, as far as there are any. */
  const sweep = (seconds: number) => {
    const ended: Record<number, unknown[]> = {};
    for (let second = 1; second <= seconds; second += 1) {
      const now = names(bodies.sweep());
      if (now.length > 0) ended[second] = now;
    }
    return ended;
  };
  return { send, sweep, requests };
}

it('a body has 15 seconds, and an upload one more for each 16 kB', async () => {
  const { send, sweep } = await setUp();
  await send('slow');
  await send('upload', { bytes: 320 * 1024 });
  expect(sweep(30)).toEqual({ 16: ['slow'], 20: ['upload'] });
});

it('the time in which nobody reads a body is not its sender’s', async () => {
  const { send, sweep } = await setUp();
  await send('unread', { bytes: 1_000_000 });
  expect(sweep(100)).toEqual({});
});

it('of more than 32 slow bodies of a network the slowest end, and no other network’s', async () => {
  const { send, sweep } = await setUp();
  await Promise.all(Array.from({ length: 34 }, (_, index) => send(`many ${index}`, { network: 'stranger', bytes: 100 + index })));
  await send('one', { bytes: 1 });
  expect(sweep(5)).toEqual({ 2: ['many 1', 'many 0'] });
});

it('of more than 64 slow bodies in all, those of the largest networks end', async () => {
  const { send, sweep } = await setUp();
  for (const network of ['one', 'two', 'three'])
    await Promise.all(Array.from({ length: 25 }, (_, index) => send(`${network} ${index}`, { network })));
  await send('honest');
  const { 2: ended = [] } = sweep(2);
  expect(ended).toHaveLength(12);
  expect(ended).not.toContain('honest');
  expect(sweep(10)).toEqual({});
});

it('of one slow body of each of more than 64 networks, the slowest end', async () => {
  const { send, sweep } = await setUp();
  await send('honest', { network: 'honest', bytes: 100_000 });
  await Promise.all(Array.from({ length: 70 }, (_, index) => send(`stranger ${index}`, { network: `network ${index}` })));
  const { 2: ended = [] } = sweep(2);
  expect(ended).toHaveLength(7);
  expect(ended).not.toContain('honest');
});

it('no number of strangers ends what an application sends, and it has 32 slow bodies of its own', async () => {
  const { send, sweep } = await setUp();
  await Promise.all(Array.from({ length: 34 }, (_, index) => send(`proven ${index}`, { bytes: 100 + index })));
  await Promise.all(Array.from({ length: 70 }, (_, index) => send(`stranger ${index}`, { network: `network ${index}`, bytes: 1_000 })));
  const { 2: ended = [] } = sweep(2);
  expect(ended.filter((name) => String(name).startsWith('proven'))).toEqual(['proven 1', 'proven 0']);
  expect(ended).toHaveLength(2 + 6);
});

it('a server ends a request whose body does not come, with 408', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const begun = Promise.withResolvers<void>();
  const server = createAppServer({
    async fetch(request) {
      begun.resolve();
      return Response.json(await request.text());
    },
    answerError: errorResponse,
    keepAliveSeconds: 75,
    trustedProxies: 0,
    closing: new AbortController().signal,
    log: createLog('silent'),
  });
  open.server = server;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  open.sockets.push(socket);
  let answer = '';
  socket.on('data', (bytes) => (answer += bytes.toString()));
  socket.write('POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx');
  await begun.promise;
  vi.advanceTimersByTime(15_000);
  expect(answer).toBe('');
  vi.advanceTimersByTime(1_000);
  await until('it has come', async () => answer.includes('request_timeout') || undefined);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});
