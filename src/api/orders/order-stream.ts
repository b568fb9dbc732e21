import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { type Caller, requireProfile } from '../../ledger/access/permissions.ts';
import { findCaller } from '../../ledger/access/access-tokens.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { feedDays, type FeedPosition, findOwnEvent, isReadable, newestPosition } from '../../ledger/orders/order-feed.ts';
import { StopError } from '../../platform/errors.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { isUuid } from '../../platform/uuid.ts';
import type { ApiEnv, AddRoutes } from '../api.ts';
import { tokenHashOf } from '../middlewares/bearer.ts';
import { createOrderStreams, streamsPerApplication } from './order-streams.ts';
import { query } from '../http/query.ts';
import { notAuthenticated } from '../http/errors.ts';
import { bearerAccess, errorResponses } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';

/** The connection is the stream's alone, and a proxy must not buffer it. */
const streamHeaders = { 'Content-Type': 'text/event-stream', Connection: 'close', 'X-Accel-Buffering': 'no' };

const cursorHeader = z.string().optional().openapi({ description: 'The last `id` that the client has read.' });

/** `GET /orders/stream`: the events of the caller's orders, as they happen (docs/api.md, Order stream). */
export const addOrderStream: AddRoutes = (api, { ledger, sealer, log, closing }, guards) => {
  const cursors = createStreamCursors({ ledger, sealer });
  const streams = createOrderStreams({ ledger, log, closing });
  const description = [
    'Server-sent events: `id` is the cursor to resume from, `event` is `order.created`, `order.updated`, or `order.held` when the order is held back (`meta.heldUntil`); `data` is what a webhook delivers, or would.',
    'Without `Last-Event-ID` the stream begins now; with it no event is lost or repeated, also after days.',
    `A private or whitelabel application may have ${streamsPerApplication} streams open, a user of an authorization-code application ${ledger.quotas.streams}. A stream ends with its access token, and when its reader is too slow.`,
  ].join(' ');
  const route = createRoute({
    method: 'get',
    path: '/orders/stream',
    ...bearerAccess('Orders'),
    operationId: 'followOrders',
    summary: 'Follow orders',
    description,
    middleware: guards.stream,
    request: {
      query: query(
        z.object({
          profile: input.uuid
            .optional()
            .openapi({ description: 'Only events of this profile. Without it, of all profiles that the caller may act for.' }),
          after: input
            .text(maxCursorLength)
            .optional()
            .openapi({ description: 'The same as `Last-Event-ID`, which wins when both are sent.' }),
        }),
      ),
      headers: z.object({ 'Last-Event-ID': cursorHeader }),
    },
    responses: {
      200: {
        description: 'The stream.',
        headers: z.object({
          'Last-Event-ID': z
            .string()
            .openapi({ description: 'Where the stream begins: who loses it before its first `id` resumes from here.' }),
        }),
        content: { 'text/event-stream': { schema: z.string().openapi({ description: 'Server-sent events (HTML, section 9.2).' }) } },
      },
      ...errorResponses(401, 403, 406, 'unknown_cursor', 'shutting_down'),
    },
  });
  api.openapi(route, async (context) => {
    const query = context.req.valid('query');
    const { caller } = context.var;
    const profile = query.profile === undefined ? undefined : await requireProfile(ledger, caller, query.profile);
    const cursor = context.req.header('Last-Event-ID') || query.after;
    const after = cursor === undefined ? await cursors.now(caller) : await cursors.find(caller, cursor);
    const tokenHash = tokenHashOf(context);
    const known = tokenHash && (await findCaller(ledger, tokenHash));
    if (!known) throw notAuthenticated(context);
    // The answer to HEAD has no body, so nobody would ever end the stream.
    if (context.req.method === 'HEAD') return context.body(null, 200, streamHeaders);
    const stream = await streams.open({ caller: known, tokenHash, profile, after, cut: () => cut(context) });
    return context.body(stream, 200, { ...streamHeaders, 'Last-Event-ID': after.id });
  });
};

function cut({ env }: Context<ApiEnv>): void {
  // Without a socket there is no environment, as in tests.
  (env as Partial<ApiEnv['Bindings']> | undefined)?.outgoing?.destroy();
}

/** Longer than any cursor. */
const maxCursorLength = 200;

/** Where streams of order events begin and go on. */
interface StreamCursors {
  /** The newest position, under a cursor that only this caller can use. */
  now(caller: Caller): Promise<FeedPosition>;
  /** The position of a cursor: the id of an event of the caller's, or what `now` returned. Throws `unknown_cursor`. */
  find(caller: Caller, cursor: string): Promise<FeedPosition>;
}

/**
 * The cursor of an event is its id. A stream that begins now has no event of its reader's to name: its cursor is the position, sealed, so that
 * it tells nothing of the events of others, and bound to the caller.
 */
function createStreamCursors({ ledger, sealer }: { ledger: Ledger; sealer: Sealer }): StreamCursors {
  function unseal(caller: Caller, cursor: string): FeedPosition | undefined {
    try {
      return { id: cursor, position: BigInt(sealer.unseal(cursor, fieldOf(caller))) };
    } catch (error) {
      if (error instanceof StopError) return undefined;
      throw error;
    }
  }

  return {
    async now(caller) {
      const position = await newestPosition(ledger);
      return { id: sealer.seal(String(position), fieldOf(caller)), position };
    },
    async find(caller, cursor) {
      const position = isUuid(cursor) ? await findOwnEvent(ledger, caller, cursor.toLowerCase()) : unseal(caller, cursor);
      if (position && (await isReadable(ledger, position.position))) return position;
      const after = `is not the id of an event of yours of the last ${feedDays} days: read GET /orders, then connect without a cursor`;
      throw new StopError({ code: 'unknown_cursor', message: 'Validation errors', fields: { after } });
    },
  };
}

function fieldOf({ application, user }: Caller) {
  return { table: 'events', column: 'position', row: `${application} ${user}` };
}
