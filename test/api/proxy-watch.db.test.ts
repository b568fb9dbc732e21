import { afterAll, beforeAll, expect, it } from 'vitest';
import { startProxyReport } from '../../src/api/proxy-watch.ts';
import { readStatus } from '../../src/status/read-status.ts';
import { createLog } from '../../src/platform/log.ts';
import { until } from '../support/until.ts';
import { createTestApi } from './support/test-api.ts';

let api: Awaited<ReturnType<typeof createTestApi>>;
beforeAll(async () => void (api = await createTestApi()));
afterAll(() => api?.close());

it('requests through a proxy that TRUST_PROXY does not count are named in the status until others fit, and checks of the health do not count', async () => {
  const send = async (path: string, headers: Record<string, string>) => {
    for (let sent = 0; sent < 50; sent += 1) await api.app.request(path, { headers });
  };
  const { ledger, proxies, settings } = api.deps;
  const report = startProxyReport({ watch: proxies, ledger, log: createLog('silent') });
  const kinds = async () => (await readStatus(ledger, settings)).warnings.map(({ kind }) => kind);
  await send('/health', { 'X-Forwarded-For': '192.0.2.7' });
  expect(proxies.warning()).toBeUndefined();
  await send('/', { 'X-Forwarded-For': '192.0.2.7' });
  await until('the status names it', async () => (await kinds()).includes('proxies_wrong') || undefined);
  await send('/', {});
  await until('the status names it no more', async () => !(await kinds()).includes('proxies_wrong') || undefined);
  await report.close();
});
