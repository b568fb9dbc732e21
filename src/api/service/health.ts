import { createRoute, z } from '@hono/zod-openapi';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../platform/log.ts';
import type { Api, ApiDependencies, HealthCheck } from '../api.ts';
import { json } from '../http/responses.ts';

/** A check that takes longer counts as failed, because load balancers ask every few seconds. */
const checkTimeoutMs = 2_000;

const health = z
  .object({
    status: z.enum(['ok', 'unavailable']),
    checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string().optional() })),
  })
  .openapi('Health');

const live = createRoute({
  method: 'get',
  path: '/health/live',
  tags: ['Operations'],
  summary: 'Liveness: whether this process runs',
  responses: { 200: json(health, 'The process runs') },
});

const ready = createRoute({
  method: 'get',
  path: '/health/ready',
  tags: ['Operations'],
  summary: 'Readiness: whether requests can be served',
  responses: { 200: json(health, 'Every check passes'), 503: json(health, 'A check failed; its detail says why') },
});

/** `GET /health/live` and `GET /health/ready`, for load balancers and operators. */
export function addHealth(api: Api, { pool, log, checks }: ApiDependencies): void {
  const database: HealthCheck = { name: 'database', check: async () => ({ ok: Boolean(await pool.query('select 1')) }) };
  api.openapi(live, (context) => context.json({ status: 'ok' as const, checks: [] }, 200));
  api.openapi(ready, async (context) => {
    const results = await Promise.all([database, ...checks].map((check) => runCheck(check, log)));
    const failed = results.filter((result) => !result.ok);
    if (failed.length === 0) return context.json({ status: 'ok' as const, checks: results }, 200);
    log.warn({ failed, correlationId: context.var.correlationId }, 'not ready');
    return context.json({ status: 'unavailable' as const, checks: results }, 503);
  });
}

async function runCheck({ name, check }: HealthCheck, log: Log): Promise<{ name: string; ok: boolean; detail?: string }> {
  const timeout = new AbortController();
  const late = delay(checkTimeoutMs, undefined, { signal: timeout.signal }).then(() => ({
    ok: false,
    detail: `no answer within ${checkTimeoutMs / 1000} s`,
  }));
  try {
    return { name, ...(await Promise.race([check(), late])) };
  } catch (error) {
    // The endpoint is public, so the reason, which may name hosts, stands in the log only.
    log.warn({ check: name, err: error }, 'health check failed');
    return { name, ok: false, detail: 'unreachable' };
  } finally {
    timeout.abort();
    late.catch(() => {});
  }
}
