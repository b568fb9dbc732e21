import { type Caller, mayActOn } from '../../ledger/access/permissions.ts';
import type { FeedEvent, FeedPosition } from '../../ledger/orders/order-feed.ts';
import { eventBody } from '../../wire/event.ts';

/** Bytes that wait for a reader, some hundreds of events. Beyond that its stream reads from the ledger when there is room again. */
const bufferBytes = 256 * 1024;

/** Milliseconds that a reader with a full buffer has to make room. */
const roomTimeoutMs = 5_000;

/** Milliseconds that a reader has for what is left in the buffer of a stream that was ended. */
const drainTimeoutMs = 500;

/** Who reads a stream, and which events. */
export interface StreamReader {
  caller: Caller & { expiresAt: Date };
  /** SHA-256 of the access token. */
  tokenHash: Buffer;
  /** Only this profile of the caller's. */
  profile: string | undefined;
  /** Closes the connection at once, without what is still in the buffer. */
  cut: () => void;
}

/** An open stream of order events over one connection. */
export interface StreamConnection {
  /** Replaced when the token is checked again. */
  caller: Caller;
  readonly tokenHash: Buffer;
  readonly profile: string | undefined;
  /** Position up to which events were sent, or are not for this reader. */
  position: bigint;
  /** Whether it is sent events as they happen. If not, it is still catching up with earlier ones. */
  isLive: boolean;
  isOpen(): boolean;
  hasRoom(): boolean;
  /** Waits until the buffer has room, five seconds at most. Returns whether it has. */
  waitForRoom(): Promise<boolean>;
  /** Sends an event that the reader may see and has not been sent yet. */
  send(event: FeedEvent, rendered: Uint8Array): void;
  sendHeartbeat(): void;
  /** Closes the stream once its buffer is read. */
  end(reason: string): void;
  /** Closes the connection at once. */
  cut(reason: string): void;
}

const encoder = new TextEncoder();
const heartbeat = encoder.encode(':\n\n');

/** Opens a stream that goes on after `start`. `onClose` is called once, with the reason. */
export function openConnection(
  reader: StreamReader,
  start: FeedPosition,
  onClose: (reason: string) => void,
): { connection: StreamConnection; body: ReadableStream<Uint8Array> } {
  let isOpen = true;
  let onRoom: (() => void) | undefined;
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const close = (reason: string): boolean => {
    if (!isOpen) return false;
    isOpen = false;
    onRoom?.();
    onClose(reason);
    return true;
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start: (opened) => void (controller = opened),
      pull: () => onRoom?.(),
      cancel: () => void close('its reader left'),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: bufferBytes }),
  );
  // The id alone: a reader that loses the connection before the first event knows where to go on.
  controller.enqueue(encoder.encode(`retry: 1000\nid: ${start.id}\n\n`));

  const { caller, tokenHash, profile } = reader;
  const connection: StreamConnection = {
    caller,
    tokenHash,
    profile,
    position: start.position,
    isLive: false,
    isOpen: () => isOpen,
    hasRoom: () => (controller.desiredSize ?? 0) > 0,
    async waitForRoom() {
      const { promise, resolve } = Promise.withResolvers<void>();
      onRoom = resolve;
      const timer = setTimeout(resolve, roomTimeoutMs);
      await promise;
      clearTimeout(timer);
      onRoom = undefined;
      return connection.hasRoom();
    },
    send(event, rendered) {
      if (event.position <= connection.position) return;
      connection.position = event.position;
      if (isFor(connection, event)) controller.enqueue(rendered);
    },
    sendHeartbeat() {
      if (connection.hasRoom()) controller.enqueue(heartbeat);
    },
    end(reason) {
      if (!close(reason)) return;
      controller.close();
      setTimeout(reader.cut, drainTimeoutMs).unref();
    },
    cut(reason) {
      if (close(reason)) reader.cut();
    },
  };
  return { connection, body };
}

function isFor({ caller, profile }: StreamConnection, event: FeedEvent): boolean {
  return mayActOn(caller, event.profile) && (profile ?? event.profile.id) === event.profile.id;
}

/** An event as `text/event-stream`. Its data is exactly the body that webhooks deliver, which has no line break. */
export function renderEvent({ event }: FeedEvent): Uint8Array {
  return encoder.encode(`id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(eventBody(event))}\n\n`);
}
