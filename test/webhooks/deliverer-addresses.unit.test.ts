import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { createDeliverer } from '../../src/webhooks/deliverer.ts';
import { createResolve } from '../../src/webhooks/resolve.ts';
import { type Say, startNameServer } from './name-server.ts';
import { delivery, head, startRawServer, secret } from './raw-server.ts';
import { patienceMs } from '../support/patience.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const receiver = forWholeFile(() => startRawServer((socket) => socket.end(head('200 OK'))));

const closing: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0)) await one.close();
});

/** A deliverer that asks a name server of the test's own. */
async function deliverer(environment: 'production' | 'sandbox', say: Say, timeoutMs = patienceMs) {
  const server = await startNameServer(say);
  closing.push(server);
  const deliver = createDeliverer({ environment, timeoutMs, resolve: createResolve([server.address]) });
  return { asked: server.asked, to: (url: string) => deliver({ ...delivery, url }) };
}

describe('in production', () => {
  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '[::]', 'localhost', 'a.localhost'])(
    'nothing arrives at https://%s',
    async (host) => {
      const before = receiver.connections();
      const { to } = await deliverer('production', () => 'unknown');
      const { ok, reason } = await to(`https://${host}:${receiver.port}/`);
      expect(ok).toBe(false);
      expect(reason).toMatch(/^leads to an? (loopback|reserved|unspecified) address, which webhooks do not go to$/);
      expect(receiver.connections()).toBe(before);
    },
  );

  it.each([
    ['127.0.0.1', 'a loopback'],
    ['10.0.0.1', 'a private'],
    ['169.254.169.254', 'a link-local'],
    ['2002:7f00:1::', 'a reserved'],
  ])('nothing arrives at a name whose address is %s, and that address is not told', async (address, place) => {
    const before = receiver.connections();
    const { to } = await deliverer('production', () => [address]);
    const { ok, reason } = await to(`https://hooks.test:${receiver.port}/`);
    expect({ ok, reason }).toEqual({ ok: false, reason: `leads to ${place} address, which webhooks do not go to` });
    expect(receiver.connections()).toBe(before);
  });

  it('nothing arrives at a name that has a public address and a loopback one', async () => {
    const before = receiver.connections();
    const { to } = await deliverer('production', () => ['1.1.1.1', '127.0.0.1']);
    expect((await to(`https://hooks.test:${receiver.port}/`)).reason).toBe('leads to a loopback address, which webhooks do not go to');
    expect(receiver.connections()).toBe(before);
  });

  it('nothing arrives by http', async () => {
    const before = receiver.connections();
    const { to } = await deliverer('production', () => ['127.0.0.1']);
    expect((await to(`http://hooks.test:${receiver.port}/`)).reason).toBe('must begin with https://');
    expect(receiver.connections()).toBe(before);
  });
});

describe('in the sandbox', () => {
  it.each(['127.0.0.1', 'localhost', 'a.localhost', 'hooks.test', '0x7f000001'])('a delivery arrives at http://%s', async (host) => {
    const { to } = await deliverer('sandbox', () => ['127.0.0.1']);
    expect(await to(`http://${host}:${receiver.port}/path?query`)).toMatchObject({ ok: true, status: 200, reason: 'answered 200' });
  });

  it('is one POST of the body as it is, on a connection of its own, and says nothing of us but what it is', async () => {
    const lone = await startRawServer((socket) => socket.end(head('204 No Content', 'set-cookie: a=b\r\n')));
    closing.push(lone);
    const { to } = await deliverer('sandbox', () => ['127.0.0.1']);
    await to(`http://hooks.test:${lone.port}/path?query#part`);
    await to(`http://hooks.test:${lone.port}/path?query#part`);
    expect(lone.connections()).toBe(2);
    const [first, second] = lone.received().split(/(?<=\})(?=POST)/);
    const lines = first?.split('\r\n') ?? [];
    expect(lines[0]).toBe('POST /path?query HTTP/1.1');
    expect(lines.at(-1)).toBe(delivery.body);
    const names = lines.slice(1, -2).map((line) => line.split(':')[0]?.toLowerCase());
    const known = ['host', 'connection', 'content-type', 'content-length', 'user-agent', 'accept-encoding'];
    expect(new Set(names)).toEqual(new Set([...known, 'webhook-id', 'webhook-timestamp', 'webhook-signature']));
    expect(first).toContain('\r\ncontent-type: application/json\r\n');
    expect(second).not.toContain('cookie');
  });

  it('its body arrives byte by byte as it was signed', async () => {
    const lone = await startRawServer((socket) => socket.end(head('200 OK')));
    closing.push(lone);
    const body = JSON.stringify({ name: 'Jón Þór €\u2028', emoji: '👩‍🚀' });
    const deliver = createDeliverer({ environment: 'sandbox' });
    await deliver({ ...delivery, body, url: `http://127.0.0.1:${lone.port}/` });
    const [heading = '', bytes = ''] = lone.received().split('\r\n\r\n');
    const headers = Object.fromEntries(
      heading
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(': ') as [string, string]),
    );
    expect(new Webhook(secret).verify(Buffer.from(bytes, 'latin1'), headers)).toEqual(JSON.parse(body));
  });

  it.each(['10.0.0.1', '192.168.1.1', '169.254.169.254', '172.17.0.1', 'fd00::1', 'fe80::1'])(
    'a name that leads to %s is refused',
    async (address) => {
      const { to } = await deliverer('sandbox', () => [address]);
      expect((await to('https://hooks.test/')).reason).toMatch(/^leads to a (private|link-local) address/);
    },
  );

  it('goes through no proxy of the environment', async () => {
    const proxy = await startRawServer((socket) => socket.end(head('200 OK')));
    closing.push(proxy);
    const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY'];
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    try {
      const { to } = await deliverer('sandbox', () => 'unknown');
      expect((await to(`http://127.0.0.1:${receiver.port}/`)).ok).toBe(true);
    } finally {
      for (const name of names) Reflect.deleteProperty(process.env, name);
    }
    expect(proxy.connections()).toBe(0);
  });
});

describe('a name that changes its address', () => {
  it('is looked up once for each delivery, which goes where the look-up led', async () => {
    const other = await startRawServer((socket) => socket.end(head('200 OK')), { host: '127.0.0.2', port: receiver.port });
    closing.push(other);
    const before = receiver.connections();
    const { to, asked } = await deliverer('sandbox', (_, query) => [query === 1 ? '127.0.0.1' : '127.0.0.2']);
    await to(`http://hooks.test:${receiver.port}/`);
    expect([receiver.connections() - before, other.connections()]).toEqual([1, 0]);
    expect(asked.sort()).toEqual(['hooks.test 4', 'hooks.test 6']);
    await to(`http://hooks.test:${receiver.port}/`);
    expect([receiver.connections() - before, other.connections()]).toEqual([1, 1]);
  });

  it('to a forbidden one is refused from then on', async () => {
    const { to } = await deliverer('sandbox', (_, query) => [query === 1 ? '127.0.0.1' : '10.0.0.1']);
    expect((await to(`http://hooks.test:${receiver.port}/`)).ok).toBe(true);
    expect((await to(`http://hooks.test:${receiver.port}/`)).reason).toBe('leads to a private address, which webhooks do not go to');
  });
});

describe('a name server', () => {
  it.each([
    ['that knows no such name is reported as that', 'unknown', 'its host name has no address'],
    ['that knows the name and no address of it is reported as that', [], 'its host name has no address'],
    ['that fails is no proof that there is no such name', 'failure', 'its host name could not be looked up (ESERVFAIL)'],
  ] as const)('%s', async (_, answer, reason) => {
    const { to } = await deliverer('production', () => (typeof answer === 'string' ? answer : [...answer]));
    expect((await to('https://hooks.test/')).reason).toBe(reason);
  });

  it('that is silent costs no more than the whole attempt may take', async () => {
    const { to } = await deliverer('production', () => 'silence', 300);
    expect((await to('https://hooks.test/')).reason).toBe('did not answer within 0.3 s');
  });
});
