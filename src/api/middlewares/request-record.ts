import { routePath } from 'hono/route';
import type { ApiDependencies, Middleware } from '../api.ts';

/** Logs and measures each request, without its headers, query and body, which may hold secrets. */
export function createRequestRecord({ log, metrics }: Pick<ApiDependencies, 'log' | 'metrics'>): Middleware {
  return async (context, next) => {
    const startedAt = performance.now();
    await next();
    const milliseconds = performance.now() - startedAt;
    const { method, path } = context.req;
    const { status } = context.res;
    // The pattern, not the path: a label must not have one value per order.
    const route = routePath(context, -1);
    metrics.requestSeconds.observe({ method, route, status }, milliseconds / 1000);
    const { correlationId, caller } = context.var;
    log.info({ correlationId, method, path, status, ms: Math.round(milliseconds * 10) / 10, application: caller?.application }, 'request');
  };
}
