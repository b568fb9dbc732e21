import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { requireProfile } from '../../ledger/access/permissions.ts';
import { findCaller } from '../../ledger/access/access-tokens.ts';
import { feedDays, findPlace, type FeedPlace } from '../../ledger/orders/order-feed.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { StopError } from '../../platform/errors.ts';
import type { ApiEnv, Part } from '../api.ts';
import { tokenHashOf } from '../middlewares/bearer.ts';
import { createOrderStreams, streamsPerApplication } from './order-streams.ts';
import { notAuthenticated } from '../http/errors.ts';
import { bearerAccess, errorResponses } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';
import { isUuid } from '../../platform/uuid.ts';

const description = [
  'Server-sent events: `id` is where to go on, `event` is `order.created` or `order.updated`, `data` is what a webhook delivers.',
  'Without `Last-Event-ID` it begins with what happens from now on; with it nothing is lost and nothing told twice, also after days.',
  `An application has at most ${streamsPerApplication} streams open. A stream ends with its access token, and for who reads too slowly.`,
].join(' ');

const uuidHeader = z.string().optional().openapi({ format: 'uuid', description: 'id of the last event that was read' });

/** `GET /orders/stream`: what happens to the orders of the caller's profiles, as it happens. */
export const addOrderStream: Part = (api, { ledger, log, closing }, guards) => {
  const streams = createOrderStreams({ ledger, log, closing });
  const route = createRoute({
    method: 'get',
    path: '/orders/stream',
    ...bearerAccess('Orders'),
    summary: 'What happens to orders, as it happens',
    description,
    middleware: guards.stream,
    request: {
      query: z.object({
        profile: input.uuid.optional(),
        after: input.uuid.optional().openapi({ description: 'as Last-Event-ID, which counts when there are both' }),
      }),
      headers: z.object({ 'Last-Event-ID': uuidHeader }),
    },
    responses: {
      200: { description: 'The stream', content: { 'text/event-stream': { schema: z.string() } } },
      ...errorResponses(400, 401, 403, 406),
    },
  });
  api.openapi(route, async (context) => {
    const query = context.req.valid('query');
    const { caller } = context.var;
    const profile = query.profile === undefined ? undefined : await requireProfile(ledger, caller, query.profile);
    const place = await placeOf(ledger, context.req.header('Last-Event-ID') || query.after);
    const tokenHash = tokenHashOf(context);
    const known = tokenHash && (await findCaller(ledger, tokenHash));
    if (!known) throw notAuthenticated();
    const stream = await streams.open({ caller: known, tokenHash, profile, place, cut: () => cut(context) });
    // One connection for one stream, and no proxy that waits for more of it.
    return context.body(stream, 200, { 'Content-Type': 'text/event-stream', Connection: 'close', 'X-Accel-Buffering': 'no' });
  });
};

async function placeOf(ledger: Ledger, cursor: string | undefined): Promise<FeedPlace | undefined> {
  if (cursor === undefined) return undefined;
  const place = isUuid(cursor) ? await findPlace(ledger, cursor.toLowerCase()) : undefined;
  if (place) return place;
  const after = `is not the id of an event of the last ${feedDays} days: read GET /orders, and begin anew`;
  throw new StopError({ code: 'unknown_cursor', message: 'Validation errors', fields: { after } });
}

function cut({ env }: Context<ApiEnv>): void {
  // Without a socket there is no environment, as in tests.
  (env as Partial<ApiEnv['Bindings']> | undefined)?.outgoing?.destroy();
}
