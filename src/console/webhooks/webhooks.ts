import { Hono } from 'hono';
import { z } from 'zod';
import type { OperatorRole } from '../../schema/states.ts';
import { findDelivery, subscribersOf, subscriptionTargets } from '../../ledger/webhooks/delivery-queries.ts';
import { deliveries } from '../../operations/webhooks/delivery-view.ts';
import { subscriptions } from '../../operations/webhooks/subscription-view.ts';
import { readView } from '../../operations/view.ts';
import { StopError } from '../../platform/errors.ts';
import { eventBody } from '../../wire/event.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { viewRoute } from '../http/view-route.ts';

/** Who receives events, and what became of the deliveries. Secrets of subscriptions are never read. */
export const webhookRoutes = new Hono<ConsoleEnv>()
  .get('/subscriptions', async (context) => {
    const { ledger, operator } = context.var;
    const [{ rows }, targets] = await Promise.all([readView(subscriptions, ledger, {}, Infinity), subscriptionTargets(ledger)]);
    // The path of a URL may hold a secret.
    const urls = new Map(maySeeContent(operator.role) ? targets.map(({ subscription, url }) => [subscription, url]) : []);
    const shown = rows.map(({ subscription: id, ...row }) => Object.assign(row, { id, url: urls.get(id) ?? null }));
    return context.json({ subscriptions: shown }, 200);
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
