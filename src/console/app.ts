import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { routePath } from 'hono/route';
import { collectOrders } from '../ledger/orders/traces/affected-orders.ts';
import { mostTracedOrders } from '../ledger/orders/traces/order-traces.ts';
import { applications } from '../operations/applications/application-view.ts';
import { auditEntries } from '../operations/audit/audit-view.ts';
import { StopError } from '../platform/errors.ts';
import { accountRoutes } from './account/account.ts';
import { actionRoutes } from './actions/actions.ts';
import { operatorRoutes } from './operators/operators.ts';
import { settingsRoutes } from './settings/settings.ts';
import { approvalRoutes } from './approvals/approvals.ts';
import { bankRoutes } from './bank/bank.ts';
import { assets } from './assets/assets.ts';
import { securityHeaders } from './assets/page-headers.ts';
import type { ConsoleDependencies, ConsoleEnv, ConsoleMiddleware } from './console-env.ts';
import { customerRoutes } from './customers/customers.ts';
import { answerError } from './http/error-response.ts';
import { ownBrowsersOnly } from './http/own-browsers-only.ts';
import { createJsonReceiver } from './http/receive-json.ts';
import { viewRoute } from './http/view-route.ts';
import { createLive } from './live/live.ts';
import { liveRoute } from './live/live-route.ts';
import { invitation } from './sign-in/invitation.ts';
import { networkRoutes } from './networks/networks.ts';
import { me, sessionUse } from './sign-in/me.ts';
import { orderRoutes } from './orders/orders.ts';
import { overviewRoutes } from './overview/overview.ts';
import { requireSession } from './http/require-session.ts';
import { signIn } from './sign-in/sign-in.ts';
import { signOut } from './sign-in/sign-out.ts';
import { webhookRoutes } from './webhooks/webhooks.ts';

/** What is behind the sign-in: one line for each room. */
const rooms = new Hono<ConsoleEnv>()
  .route('/me', me)
  .route('/session', sessionUse)
  .route('/account', accountRoutes)
  .route('/live', liveRoute)
  .route('/actions', actionRoutes)
  .route('/approvals', approvalRoutes)
  .route('/orders', orderRoutes)
  .route('/overview', overviewRoutes)
  .route('/bank', bankRoutes)
  .route('/customers', customerRoutes)
  .route('/applications', viewRoute(applications))
  .route('/audit', viewRoute(auditEntries))
  .route('/operators', operatorRoutes)
  .route('/settings', settingsRoutes)
  .route('/networks', networkRoutes)
  .route('/webhooks', webhookRoutes);

/** The console without a socket: tests call `app.request(...)`. */
export function createConsole(deps: ConsoleDependencies) {
  return new Hono<ConsoleEnv>()
    .use(withDependencies(deps), recordRequest, securityHeaders, noStore, ownBrowsersOnly, createJsonReceiver(deps))
    .onError(answerError)
    .notFound((context) => answerError(new StopError({ code: 'not_found', message: `There is no ${context.req.path}` }), context))
    .route('/api/sign-in', signIn)
    .route('/api/invitation', invitation)
    .use('/api/*', requireSession)
    .route('/api/sign-out', signOut)
    .route('/api', rooms)
    .route('/', assets);
}

/** The API of the console, for the browser's typed client. */
export type ConsoleApi = ReturnType<typeof createConsole>;

function withDependencies(deps: ConsoleDependencies): ConsoleMiddleware {
  const live = createLive(deps);
  return async (context, next) => {
    context.set('live', live);
    for (const [name, value] of Object.entries(deps)) context.set(name as keyof ConsoleDependencies, value as never);
    const correlationId = randomUUID();
    context.set('correlationId', correlationId);
    context.header('X-Correlation-Id', correlationId);
    await next();
  };
}

/** Logs and measures each request, with the orders that it placed or ended, and without its headers, query and body, which may hold secrets. */
const recordRequest: ConsoleMiddleware = async (context, next) => {
  const startedAt = performance.now();
  const { orders } = await collectOrders(next);
  const milliseconds = performance.now() - startedAt;
  const { correlationId, log, metrics, operator } = context.var;
  const { method, path } = context.req;
  const { status } = context.res;
  // The pattern, not the path: a label must not have one value per order.
  metrics.requestSeconds.observe({ method, route: routePath(context, -1), status }, milliseconds / 1000);
  const orderIds = orders.length === 0 ? undefined : orders.slice(0, mostTracedOrders);
  log.info({ correlationId, method, path, status, ms: Math.round(milliseconds * 10) / 10, operator: operator?.name, orderIds }, 'request');
};

/** Keeps answers out of every cache; what may be cached says so itself. */
const noStore: ConsoleMiddleware = async (context, next) => {
  context.header('Cache-Control', 'no-store');
  await next();
};
