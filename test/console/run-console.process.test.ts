import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runConsole } from '../../src/console/run-console.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { testSecretsKey } from '../support/test-sealer.ts';
import { testLedger } from '../support/test-ledger.ts';

const database = testLedger();
let other: Server;
let takenPort: number;

beforeAll(async () => {
  other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  takenPort = (other.address() as AddressInfo).port;
});
afterAll(async () => {
  await new Promise((resolve) => other.close(resolve));
});

const settings = (ports: Record<string, number>) =>
  loadSettings({
    DATABASE_URL: database.url,
    SECRETS_KEY: testSecretsKey,
    LOG_LEVEL: 'silent',
    CONSOLE_HOST: '127.0.0.1',
    ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
  });

it.each(['CONSOLE_PORT', 'METRICS_PORT'])(
  'a taken %s ends the start with an error that names it, and leaves nothing open',
  async (taken) => {
    const consolePort = await freePort();
    const start = runConsole(settings({ CONSOLE_PORT: consolePort, METRICS_PORT: await freePort(), [taken]: takenPort }));
    await expect(start).rejects.toMatchObject({ code: 'port_in_use', message: expect.stringContaining(`set ${taken}`) });
    await expect(start).rejects.toThrow(String(takenPort));
    expect(await freePort(consolePort), 'the console does not listen').toBe(consolePort);
  },
);

it('serves its metrics on a port of their own, and closes both', async () => {
  const metricsPort = await freePort();
  const console = await runConsole(settings({ CONSOLE_PORT: await freePort(), METRICS_PORT: metricsPort }));
  expect(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()).toContain('process_cpu_seconds_total');
  await console.close();
  expect(await freePort(metricsPort)).toBe(metricsPort);
});
