import { routePath } from 'hono/route';
import type { Log } from '../../platform/log.ts';
import type { Middleware } from '../api.ts';
import type { ApiMetrics } from '../service/metrics.ts';

/** One log line and one measurement per request. Neither headers, query nor body are in it: that is where secrets travel. */
export function createRequestRecord(log: Log, metrics: ApiMetrics): Middleware {
  return async (context, next) => {
    const begun = performance.now();
    await next();
    const milliseconds = performance.now() - begun;
    const { method, path } = context.req;
    const { status } = context.res;
    // The pattern, not the path: a label must not have as many values as there are orders.
    const route = routePath(context, -1);
    metrics.requestSeconds.observe({ method, route, status }, milliseconds / 1000);
    const { correlationId, caller } = context.var;
    log.info({ correlationId, method, path, status, ms: Math.round(milliseconds * 10) / 10, application: caller?.application }, 'request');
  };
}
