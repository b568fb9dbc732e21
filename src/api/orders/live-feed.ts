import type { Ledger } from '../../ledger/ledger.ts';
import { readFeed, readOwnFeed } from '../../ledger/orders/order-feed.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { renderEvent, type StreamConnection } from './stream-connection.ts';

/** Milliseconds between two queries for new events. */
const pollIntervalMs = 200;

/** Events read by one query. */
const pageSize = 200;

/** Reads the events of all orders once and sends them to every open stream. */
export interface LiveFeed {
  /** Sends a stream what it has missed, then every new event. `newest` is a position that the ledger has reached. */
  follow(stream: StreamConnection, newest: bigint): void;
}

/** Creates the feed of a process. It polls the ledger while there are streams. */
export function createLiveFeed({ ledger, log, streams }: { ledger: Ledger; log: Log; streams: Set<StreamConnection> }): LiveFeed {
  const feed = { head: 0n, isPolling: false };

  async function poll(): Promise<void> {
    feed.isPolling = true;
    while (streams.size > 0) {
      const isFull = await sendPage().catch((error: unknown) => {
        log.warn({ err: messageOf(error) }, 'order events could not be read; trying again');
        return false;
      });
      if (!isFull) await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
    }
    feed.isPolling = false;
  }

  /** Sends the next page of events to the live streams. Returns whether there may be more at once. */
  async function sendPage(): Promise<boolean> {
    const events = await readFeed(ledger, { after: feed.head, limit: pageSize });
    for (const event of events) {
      if (event.position > feed.head) feed.head = event.position;
      const rendered = renderEvent(event);
      for (const stream of streams) {
        if (!stream.isLive) continue;
        // A stream whose buffer is full falls back to reading the ledger at its own pace.
        if (stream.hasRoom()) stream.send(event, rendered);
        else startCatchUp(stream);
      }
    }
    return events.length === pageSize;
  }

  function startCatchUp(stream: StreamConnection): void {
    stream.isLive = false;
    catchUp(stream).catch((error: unknown) => {
      log.warn({ err: messageOf(error) }, 'an order stream could not be read; its reader has to connect again');
      stream.end('the ledger is out of reach');
    });
  }

  /** Brings a stream to the head of the feed at the pace of its reader. One that makes no room is cut; its reader resumes by its last id. */
  async function catchUp(stream: StreamConnection): Promise<void> {
    while (stream.isOpen() && !stream.isLive) {
      const { caller, profile, position: after } = stream;
      const upTo = feed.head;
      const events = await readOwnFeed(ledger, { caller, profile, after, upTo, limit: pageSize });
      for (const event of events) {
        if (!stream.hasRoom() && !(await stream.waitForRoom())) stream.cut('it is read too slowly');
        if (!stream.isOpen()) return;
        stream.send(event, renderEvent(event));
      }
      if (events.length === pageSize) continue;
      if (upTo > stream.position) stream.position = upTo;
      stream.isLive = feed.head === upTo;
    }
  }

  return {
    follow(stream, newest) {
      if (!feed.isPolling && newest > feed.head) feed.head = newest;
      if (!feed.isPolling) void poll();
      startCatchUp(stream);
    },
  };
}
