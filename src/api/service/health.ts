import { createRoute, z } from '@hono/zod-openapi';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../platform/log.ts';
import type { Api, ApiDependencies, HealthCheck, HealthResult } from '../api.ts';
import { errorResponses, json } from '../http/responses.ts';

/** A check that takes longer counts as failed, because load balancers ask every few seconds. */
const checkTimeoutMs = 2_000;

/** Time for which the results of the checks are answered again: however many ask, the database is queried once a second. */
const answerMs = 1_000;

const health = z
  .object({
    status: z.enum(['ok', 'unavailable']).openapi({ description: '`ok` when every check passes.' }),
    checks: z
      .array(
        z.object({
          name: z.string().openapi({ description: 'The part that was checked, such as `database` or `worker chiado`.' }),
          ok: z.boolean().openapi({ description: 'Whether the part works.' }),
          detail: z
            .string()
            .optional()
            .openapi({ description: 'Why it does not work, or what an operator should look at although it works; for people.' }),
        }),
      )
      .openapi({ description: 'What was checked. Empty for `/health/live`.' }),
  })
  .openapi('Health', { description: 'Whether the service works.' });

const { 429: tooMany } = errorResponses();

const live = createRoute({
  method: 'get',
  path: '/health/live',
  tags: ['Service'],
  summary: 'Read whether the process runs',
  description: 'For load balancers. It looks at nothing but the process, so it is answered during an outage of the database too.',
  responses: { 200: json(health, 'The process runs.'), 429: tooMany },
});

const ready = createRoute({
  method: 'get',
  path: '/health/ready',
  tags: ['Service'],
  summary: 'Read whether requests can be served',
  description:
    'For load balancers and operators: checks the database, the queues, the workers and the indexers. The checks run once a second at most, so an ' +
    'answer may be a second old.',
  responses: { 200: json(health, 'Every check passes.'), 429: tooMany, 503: json(health, 'A check failed; its `detail` says why.') },
});

/** `GET /health/live` and `GET /health/ready`, for load balancers and operators. Anybody may ask, so an answer is used for a second. */
export function addHealth(api: Api, { pool, log, checks }: ApiDependencies): void {
  const database: HealthCheck = {
    names: ['database'],
    check: async () => [{ name: 'database', ok: Boolean(await pool.query('select 1')) }],
  };
  const readHealth = createHealthReader([database, ...checks], log);
  api.openapi(live, (context) => context.json({ status: 'ok' as const, checks: [] }, 200));
  api.openapi(ready, async (context) => {
    const results = await readHealth();
    if (results.every(({ ok }) => ok)) return context.json({ status: 'ok' as const, checks: results }, 200);
    return context.json({ status: 'unavailable' as const, checks: results }, 503);
  });
}

/** Runs the checks when it is called and the results are older than a second. All callers meanwhile share one run. */
function createHealthReader(checks: HealthCheck[], log: Log): () => Promise<HealthResult[]> {
  let results: Promise<HealthResult[]> | undefined;
  let isRunning = false;
  let readAt = 0;
  const run = async (): Promise<HealthResult[]> => {
    isRunning = true;
    const all = (await Promise.all(checks.map((check) => runCheck(check, log)))).flat();
    isRunning = false;
    readAt = performance.now();
    const failed = all.filter(({ ok }) => !ok);
    if (failed.length > 0) log.warn({ failed }, 'not ready');
    return all;
  };
  return () => {
    if (results === undefined || (!isRunning && performance.now() - readAt >= answerMs)) results = run();
    return results;
  };
}

async function runCheck({ names, check }: HealthCheck, log: Log): Promise<HealthResult[]> {
  const timeout = new AbortController();
  const late = delay(checkTimeoutMs, undefined, { signal: timeout.signal }).then(() =>
    names.map((name) => ({ name, ok: false, detail: `no answer within ${checkTimeoutMs / 1000} s` })),
  );
  try {
    return await Promise.race([check(), late]);
  } catch (error) {
    // The endpoint is public, so the reason, which may name hosts, stands in the log only.
    log.warn({ checks: names, err: error }, 'health check failed');
    return names.map((name) => ({ name, ok: false, detail: 'unreachable' }));
  } finally {
    timeout.abort();
    late.catch(() => {});
  }
}
