import { Hono } from 'hono';
import { expect, it, vi } from 'vitest';
import type { ApiDependencies, ApiEnv } from '../../../src/api/api.ts';
import { createProxyWarning } from '../../../src/api/middlewares/proxy-warning.ts';

async function warningsOf(trustedProxies: number, ...forwarded: (string | undefined)[]): Promise<number> {
  const warn = vi.fn();
  const app = new Hono<ApiEnv>();
  app.use(createProxyWarning({ settings: { trustedProxies }, log: { warn } } as unknown as ApiDependencies));
  app.get('/', (context) => context.text('served'));
  for (const address of forwarded) {
    const answer = await app.request('/', { headers: address === undefined ? {} : { 'X-Forwarded-For': address } });
    expect(answer.status).toBe(200);
  }
  return warn.mock.calls.length;
}

it('is logged once when a proxy forwards requests that TRUST_PROXY does not expect', async () => {
  expect(await warningsOf(0, undefined, '192.0.2.7', '192.0.2.8')).toBe(1);
  expect(await warningsOf(0, undefined)).toBe(0);
  expect(await warningsOf(1, '192.0.2.7')).toBe(0);
});
