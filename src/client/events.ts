import { createParser } from 'eventsource-parser';
import { isPassing, pause } from './send.ts';

/** One of the events that the service sends as they happen. */
export interface StreamEvent {
  /** After which event the stream goes on when it is asked for again; empty when the service says none. */
  id: string;
  type: string;
  data: unknown;
}

interface StreamOptions {
  /** The last event that was seen: the stream goes on after it. */
  lastEventId?: string | undefined;
  /** Ends the stream, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** What is known of a stream over its connections. */
interface Position {
  lastEventId: string;
  /** Milliseconds to wait before a lost connection is made anew. */
  retry: number;
}

/** Longest wait between two tries to connect again, in milliseconds. */
const longestWait = 30_000;

/** Milliseconds without a byte after which a connection counts as lost: the service sends a comment well within them. */
const longestSilence = 60_000;

/**
 * Reads server-sent events (HTML Standard, section 9.2) until the reader stops or the service ends the stream by 204. A connection
 * that is lost is made anew, however long that takes, and goes on after the last event. Throws what `open` throws the first time,
 * and afterwards when the service refuses.
 */
export async function* readEvents(
  open: (lastEventId: string) => Promise<Response>,
  { lastEventId = '', signal }: StreamOptions = {},
): AsyncGenerator<StreamEvent, void> {
  const position = { lastEventId, retry: 1_000 };
  for (let response = await open(lastEventId); response.status !== 204; response = await reopen(open, position, signal))
    yield* readConnection(response, position);
}

async function reopen(
  open: (lastEventId: string) => Promise<Response>,
  { lastEventId, retry }: Position,
  signal: AbortSignal | undefined,
): Promise<Response> {
  for (let wait = retry; ; wait = Math.min(2 * wait, longestWait)) {
    await pause(wait, signal);
    try {
      return await open(lastEventId);
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
  }
}

/** The events of one connection, until it ends or is lost. */
async function* readConnection({ body }: Response, position: Position): AsyncGenerator<StreamEvent, void> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const events: StreamEvent[] = [];
  const parser = createParser({
    onId: (id) => void (position.lastEventId = id),
    onRetry: (retry) => void (position.retry = retry),
    onEvent: ({ event = 'message', data }) => events.push({ id: position.lastEventId, type: event, data: JSON.parse(data) as unknown }),
  });
  try {
    for (let chunk = await next(reader); chunk; chunk = await next(reader)) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      yield* events.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The next bytes; `undefined` when there are none to come. */
async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, longestSilence, undefined);
  });
  try {
    return (await Promise.race([reader.read(), silence]))?.value;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
