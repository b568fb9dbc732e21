import { expect, it } from 'vitest';
import { startApiHeartbeat } from '../../src/api/proxy-watch.ts';
import { readStatus } from '../../src/problems/read-status.ts';
import { createLog } from '../../src/platform/log.ts';
import { until } from '../support/until.ts';
import { createTestApi } from './support/test-api.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);

const throughProxy = { 'X-Forwarded-For': '192.0.2.7' };

/** Sends as many requests as the watch compares. */
async function send(path: string, headers: Record<string, string>): Promise<number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < 50; sent += 1) statuses.push((await api.app.request(path, { headers })).status);
  return [...new Set(statuses)];
}

it('requests through a proxy that TRUST_PROXY does not count are named in the status until others fit', async () => {
  const { ledger, proxies, settings } = api.deps;
  const { headers } = await api.partner();
  const report = startApiHeartbeat({ watch: proxies, ledger, log: createLog('silent') });
  const kinds = async () => (await readStatus(ledger, settings)).warnings.map(({ kind }) => kind);
  expect(await send('/tokens', { ...headers, ...throughProxy })).toEqual([200]);
  expect(await send('/profiles', { ...headers, ...throughProxy })).toEqual([200]);
  await until('the status names it', async () => (await kinds()).includes('proxies_wrong') || undefined);
  await send('/profiles', headers);
  await until('the status names it no more', async () => !(await kinds()).includes('proxies_wrong') || undefined);
  await report.close();
});

it('a stranger with any header or token neither causes the warning nor hides it', async () => {
  const { proxies } = api.deps;
  const { headers } = await api.partner();
  await send('/profiles', headers);
  const stranger = async (more: Record<string, string>) => {
    for (const path of ['/', '/tokens', '/profiles', '/health', '/none']) await send(path, more);
    await send('/profiles', { Authorization: 'Bearer forged', ...more });
  };
  await stranger(throughProxy);
  expect(proxies.warning()).toBeUndefined();
  await send('/profiles', { ...headers, ...throughProxy });
  expect(proxies.warning()).toBeDefined();
  await stranger({});
  expect(proxies.warning()).toBeDefined();
});

it('requests of an application beyond its limit do not count', async () => {
  const limited = await createTestApi({ env: { RATE_LIMITS: 'application:1' }, database: api.database });
  try {
    const { headers } = await limited.partner();
    const statuses: number[] = [];
    for (let sent = 0; sent < 60; sent += 1)
      statuses.push((await limited.app.request('/profiles', { headers: { ...headers, ...throughProxy } })).status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(10);
    expect(limited.deps.proxies.warning()).toBeUndefined();
  } finally {
    await limited.close();
  }
});
