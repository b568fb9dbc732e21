import type { Caller } from '../../ledger/access/permissions.ts';
import { feedDays, type FeedPosition, findOwnEvent, isReadable, newestPosition } from '../../ledger/orders/order-feed.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { StopError } from '../../platform/errors.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { isUuid } from '../../platform/uuid.ts';

/** Longer than any cursor. */
export const maxCursorLength = 200;

/** Where streams of order events begin and go on. */
export interface StreamCursors {
  /** The newest position, under a cursor that only this caller can use. */
  now(caller: Caller): Promise<FeedPosition>;
  /** The position of a cursor: the id of an event of the caller's, or what `now` returned. Throws `unknown_cursor`. */
  find(caller: Caller, cursor: string): Promise<FeedPosition>;
}

/**
 * The cursor of an event is its id. A stream that begins now has no event of its reader's to name: its cursor is the position, sealed, so that
 * it tells nothing of the events of others, and bound to the caller.
 */
export function createStreamCursors({ ledger, sealer }: { ledger: Ledger; sealer: Sealer }): StreamCursors {
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
