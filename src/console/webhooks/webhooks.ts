import { Hono } from 'hono';
import { z } from 'zod';
import type { OperatorRole } from '../../schema/states.ts';
import { findDelivery, subscriptionHealth, subscribersOf, subscriptionTargets } from '../../ledger/webhooks/delivery-queries.ts';
import { deliveries } from '../../operations/webhooks/delivery-view.ts';
import { isFailing } from '../../problems/subscriber-problems.ts';
import { StopError } from '../../platform/errors.ts';
import { eventBody } from '../../wire/event.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { viewRoute } from '../http/view-route.ts';

/** Who receives events, and what became of the deliveries. Secrets of subscriptions are never read. */
export const webhookRoutes = new Hono<ConsoleEnv>()
  .get('/subscriptions', async (context) => {
    const { ledger, operator } = context.var;
    const [health, targets] = await Promise.all([subscriptionHealth(ledger), subscriptionTargets(ledger)]);
    const subscriptions = health.map((subscription) => {
      const { subscription: id, application, ...rest } = subscription;
      const target = targets.find((other) => other.subscription === id);
      const applicationName = target?.applicationName ?? application;
      // The path of a URL may hold a secret.
      const url = maySeeContent(operator.role) ? (target?.url ?? null) : null;
      return Object.assign(rest, { id, application, applicationName, url, failing: isFailing(subscription) });
    });
    return context.json({ subscriptions }, 200);
  })
  .route('/deliveries', viewRoute(deliveries))
  .get('/deliveries/:id', validated('param', z.object({ id: z.uuid() })), async (context) => {
    const { ledger, operator } = context.var;
    const { id } = context.req.valid('param');
    const known = await findDelivery(ledger, id);
    if (!known) throw new StopError({ code: 'not_found', message: `There is no delivery ${id}` });
    const { delivery, event } = known;
    const applicationName = (await subscribersOf(ledger, [delivery.subscription])).get(delivery.subscription) ?? null;
    // Bodies hold names, IBANs and amounts of customers.
    const body = maySeeContent(operator.role) ? JSON.stringify(eventBody(event), null, 2) : null;
    return context.json({ ...delivery, applicationName, eventAt: event.createdAt, body }, 200);
  });

function maySeeContent(role: OperatorRole): boolean {
  return role === 'treasurer' || role === 'administrator';
}
