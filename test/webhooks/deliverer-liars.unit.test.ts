import { once } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createDeliverer } from '../../src/webhooks/deliverer.ts';
import { delivery, head, type RawServer, startRawServer } from './raw-server.ts';
import { patienceMs } from '../support/patience.ts';
import { until } from '../support/until.ts';

const patient = createDeliverer({ environment: 'sandbox', timeoutMs: patienceMs });
const impatient = createDeliverer({ environment: 'sandbox', timeoutMs: 400 });

let receiver: RawServer;
afterEach(() => receiver?.close());

/** Delivers to somebody who answers so; in the end no connection is left. */
async function tell(answer: (socket: Socket) => void, { scheme = 'http', deliver = patient } = {}) {
  receiver = await startRawServer(answer);
  const outcome = await deliver({ ...delivery, url: `${scheme}://127.0.0.1:${receiver.port}/` });
  await receiver.idle();
  return outcome;
}

/** Writes the same again and again, as fast as the other side takes it, or with pauses. */
async function endlessly(socket: Socket, chunk: string | Buffer, pause = 0): Promise<void> {
  // A socket that is closed drains no more: then this goes no further.
  while (!socket.destroyed) {
    if (!socket.write(chunk)) await once(socket, 'drain').catch(() => {});
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** What the two kernels hold between them, and not what a receiver could send in the time. */
const mostBytes = 8 * 1024 * 1024;

describe('a receiver that answers', () => {
  it.each(['200 OK', '201 Created', '202 Accepted', '204 No Content', '299 Fine'])('%s has accepted', async (status) => {
    expect(await tell((socket) => socket.end(head(status)))).toMatchObject({ ok: true, status: Number(status.slice(0, 3)) });
  });

  it.each(['400 Bad Request', '401 Unauthorized', '404 Not Found', '410 Gone', '429 Too Many Requests', '500 Oops', '503 Later'])(
    '%s has not',
    async (status) => {
      const code = Number(status.slice(0, 3));
      expect(await tell((socket) => socket.end(head(status)))).toMatchObject({ ok: false, status: code, reason: `answered ${code}` });
    },
  );

  it.each([301, 302, 303, 307, 308])('%d is not followed, and where it leads is not told', async (status) => {
    const elsewhere = await startRawServer((socket) => socket.end(head('200 OK')));
    const location = `location: http://127.0.0.1:${elsewhere.port}/?token=hidden\r\n`;
    const outcome = await tell((socket) => socket.end(head(`${status} Elsewhere`, location)));
    expect(outcome).toMatchObject({ ok: false, status, reason: `answered ${status}: redirects are not followed` });
    expect(elsewhere.connections()).toBe(0);
    await elsewhere.close();
  });
});

describe('interim answers', () => {
  it.each(['100 Continue', '102 Processing', '103 Early Hints', '199 Own'])('such as %s are read past', async (status) => {
    const outcome = await tell((socket) => void socket.write(`HTTP/1.1 ${status}\r\nlink: </a>\r\n\r\n${head('202 Accepted')}`));
    expect(outcome).toMatchObject({ ok: true, status: 202 });
  });
});

describe('Retry-After', () => {
  it.each([
    ['120', 120],
    ['0', 0],
    ['99999999999999999999', 365 * 86_400],
    ['Thu Jan  1 00:00:00 2026', 0],
    [new Date(Date.now() - 60_000).toUTCString(), 0],
    ['soon', undefined],
  ])('%s', async (text, seconds) => {
    const outcome = await tell((socket) => socket.end(head('503 Later', `retry-after: ${text}\r\n`)));
    expect(outcome.retryAfterSeconds).toBe(seconds);
  });

  it('is a date', async () => {
    const text = new Date(Date.now() + 600_000).toUTCString();
    const outcome = await tell((socket) => socket.end(head('429 Slowly', `retry-after: ${text}\r\n`)));
    expect(outcome.retryAfterSeconds).toBeGreaterThan(300);
    expect(outcome.retryAfterSeconds).toBeLessThanOrEqual(600);
  });
});

describe('a receiver that lies', () => {
  it('with a body that never ends is read a little, and believed its status', async () => {
    const outcome = await tell((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      void endlessly(socket, `10000\r\n${'a'.repeat(0x10000)}\r\n`);
    });
    expect(outcome).toMatchObject({ ok: true, status: 200 });
    expect(outcome.milliseconds).toBeLessThan(patienceMs);
    expect(receiver.sent()).toBeLessThan(mostBytes);
  });

  it('with a body that trickles holds us no longer than the whole attempt may take', async () => {
    const outcome = await tell((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      void endlessly(socket, '1\r\na\r\n', 20);
    });
    expect(outcome).toMatchObject({ ok: true, status: 200 });
    expect(outcome.milliseconds).toBeLessThan(patienceMs);
  });

  it('with a hundred compressed megabytes is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
    const before = process.memoryUsage().arrayBuffers;
    const outcome = await tell((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    });
    expect(outcome).toMatchObject({ ok: true, status: 200 });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * 1024 * 1024);
  });

  it('with headers that trickle is given up', async () => {
    const outcome = await tell(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        void endlessly(socket, 'x: y\r\n', 20);
      },
      { deliver: impatient },
    );
    expect(outcome).toMatchObject({ ok: false, reason: 'did not answer within 0.4 s' });
  });

  it.each([
    ['one header that never ends', '200 OK\r\nx: ', 'a'.repeat(1_000)],
    ['headers without end', '200 OK\r\nx: ', 'y\r\nx: '.repeat(200)],
    ['a status line that never ends', '200 ', 'a'.repeat(1_000)],
  ])('with %s is cut off', async (_, start, more) => {
    const outcome = await tell((socket) => {
      socket.write(`HTTP/1.1 ${start}`);
      void endlessly(socket, more);
    });
    expect(outcome).toMatchObject({ ok: false, reason: 'answered with headers that are too large' });
    expect(receiver.sent()).toBeLessThan(mostBytes);
  });

  it('with interim answers without end is cut off', async () => {
    const outcome = await tell((socket) => void endlessly(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100)));
    expect(outcome).toMatchObject({ ok: false, reason: 'sent interim answers without end' });
    expect(receiver.sent()).toBeLessThan(mostBytes);
  });

  it.each(['', 'upgrade: websocket\r\nconnection: upgrade\r\n'])('with 101, which was not asked for, is told so (%j)', async (headers) => {
    const outcome = await tell((socket) => void socket.write(`HTTP/1.1 101 X\r\n${headers}\r\n${head('200 OK')}`));
    expect(outcome).toMatchObject({ ok: false, reason: 'answered 101 (Switching Protocols), which was not asked for' });
  });

  it.each(['1000\r\n\r\nshort', `1\r\n\r\n${head('500 Oops')}`])(
    'about the length of its body is believed its status (%j)',
    async (length) => {
      const outcome = await tell((socket) => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${length}`));
      expect(outcome).toMatchObject({ ok: true, status: 200 });
    },
  );

  it.each([
    ...['-1', '1, 2', 'many', '99999999999999999999999'].map((length) => `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`),
    'SSH-2.0-OpenSSH_9.2\r\n',
    '\0\0\0\0',
    'HTTP/9.9 200 OK\r\n\r\n',
    'HTTP/1.1 2000 OK\r\n\r\n',
    '200 OK\r\n\r\n',
  ])('with %j does not speak HTTP', async (text) => {
    const outcome = await tell((socket) => socket.end(text));
    expect(outcome).toMatchObject({ ok: false, reason: 'answered with something that is not HTTP' });
  });

  it.each<[string, (socket: Socket) => unknown]>([
    ['resets the connection', (socket) => socket.resetAndDestroy()],
    ['hangs up without a word', (socket) => socket.end()],
  ])('that %s has not accepted', async (_, answer) => {
    const outcome = await tell((socket) => void answer(socket));
    expect(outcome).toMatchObject({ ok: false, reason: 'closed the connection before it answered' });
  });

  it('that is silent is given up', async () => {
    const outcome = await tell(() => {}, { deliver: impatient });
    expect(outcome).toMatchObject({ ok: false, reason: 'did not answer within 0.4 s' });
    expect(outcome.milliseconds).toBeGreaterThanOrEqual(390);
  });

  it('and speaks no TLS where it should is told so', async () => {
    const outcome = await tell((socket) => socket.end(head('200 OK')), { scheme: 'https' });
    expect(outcome).toMatchObject({ ok: false, reason: 'does not speak TLS as it should' });
    expect(receiver.received()).not.toContain('subscription.created');
  });

  it('and is silent where TLS should begin is given up', async () => {
    const outcome = await tell(() => {}, { scheme: 'https', deliver: impatient });
    expect(outcome).toMatchObject({ ok: false, reason: 'did not answer within 0.4 s' });
  });

  it('and does not listen at all is told so', async () => {
    receiver = await startRawServer(() => {});
    const url = `http://127.0.0.1:${receiver.port}/`;
    await receiver.close();
    expect(await patient({ ...delivery, url })).toMatchObject({ ok: false, reason: 'refuses connections' });
    receiver = await startRawServer(() => {});
  });
});

describe('a hundred receivers that hang', () => {
  it('are given up while another still hangs, and hold nothing afterwards', async () => {
    receiver = await startRawServer(() => {});
    const other = await startRawServer(() => {});
    const hanging = patient({ ...delivery, url: `http://127.0.0.1:${other.port}/` });
    const url = `http://127.0.0.1:${receiver.port}/`;
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => impatient({ ...delivery, url })));
    expect(outcomes.every(({ reason }) => reason === 'did not answer within 0.4 s')).toBe(true);
    await receiver.idle();
    await until('the other is connected', async () => other.connections() > 0 || undefined);
    await other.close();
    expect(await hanging).toMatchObject({ ok: false, reason: 'closed the connection before it answered' });
  });
});
