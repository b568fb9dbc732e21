import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { createPool } from '../../../src/platform/database.ts';
import { tryAdvisoryLock } from '../../../src/platform/postgres/advisory-lock.ts';
import { createTestDatabase } from '../../support/database.ts';
import { patience } from '../../support/patience.ts';
import { until } from '../../support/until.ts';

afterEach(() => void vi.useRealTimers());

it('the holder of a lock knows within ten seconds that its connection is silent, before the server frees the lock for another', async () => {
  const database = await createTestDatabase();
  const network = await startSilenceableNetwork(new URL(database.url));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const pool = createPool({ connectionString: network.url, max: 1 });
  const lock = await tryAdvisoryLock(pool, 'lane of a test');
  const answered = network.answers();
  await vi.advanceTimersByTimeAsync(5_000);
  await vi.waitUntil(() => network.answers() > answered, patience);
  expect(lock?.lost.aborted).toBe(false);
  network.fallSilent();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(lock?.lost.aborted).toBe(true);
  vi.useRealTimers();
  // Its connection stands all the while, as that of a process that is frozen.
  const others = createPool({ connectionString: database.url, max: 1 });
  const next = await until('another takes the lock', () => tryAdvisoryLock(others, 'lane of a test'));
  await Promise.all([lock?.release(), next.release()]);
  await Promise.all([pool.end(), others.end()]);
  network.close();
  await database.drop();
});

/** Leads to a server until it falls silent: then it passes nothing on, and closes nothing. */
async function startSilenceableNetwork(server: URL) {
  const sockets = new Set<Socket>();
  let isSilent = false;
  let answers = 0;
  const proxy = createServer((client) => {
    const upstream = connect(Number(server.port), server.hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    client.on('data', (data) => void (isSilent || upstream.write(data)));
    upstream.on('data', (data) => {
      if (isSilent) return;
      answers += 1;
      client.write(data);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = new URL(server);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    answers: () => answers,
    fallSilent: () => void (isSilent = true),
    close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}
