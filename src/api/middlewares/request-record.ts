import type { Context } from 'hono';
import { routePath } from 'hono/route';
import { isTracing, newSubject, readTraceparent, recordSpan } from '../../platform/tracing/spans.ts';
import type { ApiDependencies, ApiEnv, Middleware } from '../api.ts';

/** Logs and measures each request, without its headers, query and body, which may hold secrets. */
export function createRequestRecord({ log, metrics }: Pick<ApiDependencies, 'log' | 'metrics'>): Middleware {
  return async (context, next) => {
    const startedAt = performance.now();
    const startedOn = Date.now();
    await next();
    const milliseconds = performance.now() - startedAt;
    const { method, path } = context.req;
    const { status } = context.res;
    // The pattern, not the path: a label must not have one value per order.
    const route = routePath(context, -1);
    metrics.requestSeconds.observe({ method, route, status }, milliseconds / 1000);
    const { correlationId, caller, traced } = context.var;
    const ms = Math.round(milliseconds * 10) / 10;
    log.info({ correlationId, method, path, status, ms, application: caller?.application, orderId: traced?.order }, 'request');
    if (isTracing() && !path.startsWith('/health'))
      recordRequest(context, { route, startedAt: startedOn, endedAt: startedOn + milliseconds });
  };
}

/** A request that placed an order begins the order's trace, one that concerns it is in that, and any other has a trace of its own. */
function recordRequest(context: Context<ApiEnv>, { route, ...times }: { route: string; startedAt: number; endedAt: number }): void {
  const { correlationId, caller, traced = { order: newSubject(), isNew: true } } = context.var;
  const { method } = context.req;
  const { status } = context.res;
  recordSpan({
    ...times,
    subject: traced.order,
    isRoot: traced.isNew && !context.res.headers.has('Idempotency-Replayed'),
    name: `${method} ${route}`,
    kind: 'server',
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'mintrail.correlation_id': correlationId,
      'mintrail.application': caller?.application,
    },
    caller: readTraceparent(context.req.header('traceparent')),
    failure: status >= 500 ? `answered with ${status}` : undefined,
  });
}
