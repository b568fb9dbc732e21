import { type Caller, mayActOn } from '../../ledger/access/permissions.ts';
import { findCaller } from '../../ledger/access/access-tokens.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type FeedEvent, type FeedPlace, newestPlace, readFeed, readOwnFeed } from '../../ledger/orders/order-feed.ts';
import { messageOf, RetryError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { RateLimited } from '../../platform/limits/rate-limiter.ts';
import { eventBody } from '../../wire/event.ts';

/** Streams that one application, and all of them together, may have open at this process: each is a connection and a buffer. */
export const streamsPerApplication = 20;
const streamsPerProcess = 1_000;

/** Bytes that wait for a reader, some hundreds of events; more is read for it from the ledger when there is room again. */
const bufferBytes = 256 * 1024;

/** Pause between two looks for new events, in milliseconds. */
const pollInterval = 200;

/** Between two signs of life, in milliseconds: below the usual idle timeout of proxies, a minute. The token is checked as often. */
const heartbeatInterval = 15_000;

/** Events read at once. */
const pageSize = 200;

/** How long a reader whose buffer is full may take to make room, and one that was ended to read the rest, in milliseconds. */
const patience = { room: 5_000, end: 500 };

/** Whom a stream is for, and from where. */
export interface StreamRequest {
  caller: Caller & { expiresAt: Date };
  tokenHash: Buffer;
  /** Only this profile of the caller's. */
  profile: string | undefined;
  /** Where it goes on, if not from now on. */
  place: FeedPlace | undefined;
  /** Closes the connection, whatever is still to be sent. */
  cut: () => void;
}

export interface OrderStreams {
  /** Opens a stream of server-sent events. Throws `rate_limited` when there are too many. */
  open(request: StreamRequest): Promise<ReadableStream<Uint8Array>>;
}

interface Stream extends Omit<StreamRequest, 'place'> {
  controller: ReadableStreamDefaultController<Uint8Array>;
  /** What it has been told, or was not meant for it. */
  position: bigint;
  /** Whether it gets events as they come, or is still reading those before. */
  isLive: boolean;
  onRoom: (() => void) | undefined;
  timers: NodeJS.Timeout[];
}

const encoder = new TextEncoder();
const heartbeat = encoder.encode(':\n\n');

/** The streams of order events of this process: one loop reads the events for all of them while there are any. */
export function createOrderStreams({
  ledger,
  log,
  closing,
  interval = heartbeatInterval,
}: {
  ledger: Ledger;
  log: Log;
  closing: AbortSignal;
  interval?: number;
}): OrderStreams {
  const streams = new Set<Stream>();
  const state = { head: 0n, isPolling: false };
  closing.addEventListener('abort', () => streams.forEach((stream) => end(stream, 'the API is shutting down')));

  function end(stream: Stream, reason: string): void {
    if (!forget(stream, reason)) return;
    stream.controller.close();
    setTimeout(stream.cut, patience.end).unref();
  }

  function forget(stream: Stream, reason: string): boolean {
    if (!streams.delete(stream)) return false;
    for (const timer of stream.timers) clearTimeout(timer);
    stream.onRoom?.();
    log.debug({ application: stream.caller.application, reason }, 'order stream ended');
    return true;
  }

  function hasRoom({ controller }: Stream): boolean {
    return (controller.desiredSize ?? 0) > 0;
  }

  function tell(stream: Stream, { position, profile }: FeedEvent, chunk: Uint8Array): void {
    if (position <= stream.position) return;
    stream.position = position;
    if (mayActOn(stream.caller, profile) && (stream.profile ?? profile.id) === profile.id) stream.controller.enqueue(chunk);
  }

  /** Whose buffer is full reads on for itself, from the ledger. */
  function tellLive(stream: Stream, event: FeedEvent, chunk: Uint8Array): void {
    if (!stream.isLive) return;
    if (hasRoom(stream)) tell(stream, event, chunk);
    else startCatchUp(stream);
  }

  async function poll(): Promise<void> {
    state.isPolling = true;
    while (streams.size > 0) {
      let isFull = false;
      try {
        const events = await readFeed(ledger, { after: state.head, limit: pageSize });
        isFull = events.length === pageSize;
        for (const event of events) {
          if (event.position > state.head) state.head = event.position;
          const chunk = render(event);
          for (const stream of streams) tellLive(stream, event, chunk);
        }
      } catch (error) {
        log.warn({ err: messageOf(error) }, 'order events could not be read; it will be tried again');
      }
      if (!isFull) await new Promise((resolve) => setTimeout(resolve, pollInterval));
    }
    state.isPolling = false;
  }

  function startCatchUp(stream: Stream): void {
    stream.isLive = false;
    catchUp(stream).catch((error: unknown) => {
      log.warn({ err: messageOf(error) }, 'an order stream could not be read; its reader has to connect again');
      end(stream, 'the ledger is out of reach');
    });
  }

  /** Brings a stream to where the loop is, at the speed of its reader. One that stands still is cut off: it resumes where it is. */
  async function catchUp(stream: Stream): Promise<void> {
    while (streams.has(stream) && !stream.isLive) {
      const { caller, profile, position } = stream;
      const upTo = state.head;
      const events = await readOwnFeed(ledger, { caller, profile, after: position, upTo, limit: pageSize });
      for (const event of events) {
        if (!hasRoom(stream)) await room(stream);
        if (!hasRoom(stream) && forget(stream, 'it is read too slowly')) stream.cut();
        if (!streams.has(stream)) return;
        tell(stream, event, render(event));
      }
      if (events.length === pageSize) continue;
      if (upTo > stream.position) stream.position = upTo;
      stream.isLive = state.head === upTo;
    }
  }

  async function room(stream: Stream): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    stream.onRoom = resolve;
    const timer = setTimeout(resolve, patience.room);
    await promise;
    clearTimeout(timer);
    stream.onRoom = undefined;
  }

  /** Shows that the stream is alive, and ends it when its token or its application is no longer valid. */
  async function check(stream: Stream): Promise<void> {
    if (hasRoom(stream)) stream.controller.enqueue(heartbeat);
    try {
      const caller = await findCaller(ledger, stream.tokenHash);
      if (caller) stream.caller = caller;
      else end(stream, 'its token is no longer valid');
    } catch (error) {
      log.warn({ err: messageOf(error) }, 'the token of an order stream could not be checked; it will be tried again');
    }
  }

  function requireRoom(application: string): void {
    if (closing.aborted) throw new RetryError({ code: 'shutting_down', message: 'The API is shutting down: connect again' });
    const own = [...streams].filter(({ caller }) => caller.application === application).length;
    const retry = 'close one, or try again later';
    if (own >= streamsPerApplication)
      throw new RateLimited(`This application has ${own} streams open, which is the limit: ${retry}`, heartbeatInterval);
    if (streams.size >= streamsPerProcess)
      throw new RateLimited(`The service has ${streams.size} streams open: ${retry}`, heartbeatInterval);
  }

  return {
    async open({ place, ...request }) {
      const newest = await newestPlace(ledger);
      requireRoom(request.caller.application);
      if (streams.size === 0 && newest.position > state.head) state.head = newest.position;
      const start = place ?? newest;
      let stream: Stream | undefined;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            const timers = [
              setInterval(() => void check(opened), interval).unref(),
              setTimeout(() => end(opened, 'its token has expired'), request.caller.expiresAt.getTime() - Date.now()).unref(),
            ];
            const opened: Stream = { ...request, controller, position: start.position, isLive: false, onRoom: undefined, timers };
            stream = opened;
            streams.add(opened);
            // The id alone: a reader that loses the connection before the first event knows where to go on.
            controller.enqueue(encoder.encode(`retry: 1000\nid: ${start.id}\n\n`));
            if (!state.isPolling) void poll();
            startCatchUp(opened);
          },
          pull: () => stream?.onRoom?.(),
          cancel: () => void (stream && forget(stream, 'its reader left')),
        },
        new ByteLengthQueuingStrategy({ highWaterMark: bufferBytes }),
      );
    },
  };
}

/** One event as `text/event-stream`: its data is exactly what webhooks deliver, which has no line break. */
function render({ event }: FeedEvent): Uint8Array {
  return encoder.encode(`id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(eventBody(event))}\n\n`);
}
