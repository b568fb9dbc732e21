import { createRoute, z } from '@hono/zod-openapi';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Log } from '../../platform/log.ts';
import type { Api, ApiDependencies } from '../api.ts';
import { errorResponses, json, openAccess } from '../http/responses.ts';

/** A database that takes longer counts as down, because load balancers ask every few seconds. */
const checkTimeoutMs = 2_000;

/** Time for which a result is answered again: however many ask, the database is queried once a second. */
const answerMs = 1_000;

const health = z
  .object({
    status: z.enum(['ok', 'unavailable']).openapi({ description: '`ok` when every check passes.' }),
    checks: z
      .array(
        z.object({
          name: z.string().openapi({ description: 'The part that was checked: `database`.' }),
          ok: z.boolean().openapi({ description: 'Whether the part works.' }),
          detail: z.string().optional().openapi({ description: 'Why it does not work; for people.' }),
        }),
      )
      .openapi({ description: 'What was checked. Empty for `/health/live`.' }),
  })
  .openapi('Health', { description: 'Whether this copy of the API works.' });

type CheckResult = z.infer<typeof health>['checks'][number];

const { 429: tooMany } = errorResponses();

const live = createRoute({
  method: 'get',
  path: '/health/live',
  ...openAccess('Service'),
  operationId: 'readLiveness',
  summary: 'Read whether the process runs',
  description: 'For load balancers. It looks at nothing but the process, so it is answered during an outage of the database too.',
  responses: { 200: json(health, 'The process runs.'), 429: tooMany },
});

const ready = createRoute({
  method: 'get',
  path: '/health/ready',
  ...openAccess('Service'),
  operationId: 'readReadiness',
  summary: 'Read whether requests can be served',
  description:
    'For load balancers: whether the database answers and has the tables of the service. Orders are accepted while a network, its worker or the queue is ' +
    'down, so none of these is looked at. The check runs once a second at most, so an answer may be a second old.',
  responses: { 200: json(health, 'Requests can be served.'), 429: tooMany, 503: json(health, 'A check failed; its `detail` says why.') },
});

/** `GET /health/live` and `GET /health/ready`, for load balancers. Anybody may ask, so an answer is used for a second. */
export function addHealth(api: Api, { pool, log }: ApiDependencies): void {
  const readDatabase = createDatabaseCheck(pool, log);
  api.openapi(live, (context) => context.json({ status: 'ok' as const, checks: [] }, 200));
  api.openapi(ready, async (context) => {
    const database = await readDatabase();
    if (database.ok) return context.json({ status: 'ok' as const, checks: [database] }, 200);
    return context.json({ status: 'unavailable' as const, checks: [database] }, 503);
  });
}

/** Checks the database when it is called and the last result is older than a second. All callers meanwhile share one check. */
function createDatabaseCheck(pool: Pool, log: Log): () => Promise<CheckResult> {
  let result: Promise<CheckResult> | undefined;
  let isRunning = false;
  let readAt = 0;
  const run = async (): Promise<CheckResult> => {
    isRunning = true;
    const detail = await databaseOutage(pool, log);
    isRunning = false;
    readAt = performance.now();
    return { name: 'database', ok: detail === undefined, ...(detail !== undefined && { detail }) };
  };
  return () => {
    if (result === undefined || (!isRunning && performance.now() - readAt >= answerMs)) result = run();
    return result;
  };
}

/** Why the database cannot be used; undefined when it can. */
async function databaseOutage(pool: Pool, log: Log): Promise<string | undefined> {
  const timeout = new AbortController();
  const late = delay(checkTimeoutMs, `no answer within ${checkTimeoutMs / 1000} s`, { signal: timeout.signal });
  try {
    const detail = await Promise.race([pool.query('select from migrations limit 1').then(() => undefined), late]);
    if (detail !== undefined) log.warn({ detail }, 'not ready');
    return detail;
  } catch (error) {
    // The endpoint is public, so the reason, which may name hosts, stands in the log only.
    log.warn({ err: error }, 'not ready');
    return isUndefinedTable(error) ? 'its tables are missing, or a pooler does not find them: run `mintrail migrate`' : 'unreachable';
  } finally {
    timeout.abort();
    late.catch(() => {});
  }
}

function isUndefinedTable(error: unknown): boolean {
  return (error as { code?: unknown }).code === '42P01';
}
