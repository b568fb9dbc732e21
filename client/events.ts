import { createStreamParser } from './event-stream.ts';
import { isTemporary, pause } from './send.ts';

/** A server-sent event. */
export interface StreamEvent {
  /** The cursor to resume from; empty when the service sent none. */
  id: string;
  type: string;
  data: unknown;
}

interface StreamOptions {
  /** Id of the last event that was read: the stream resumes after it. */
  lastEventId?: string | undefined;
  /** Ends the stream, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** The state of a stream across its connections. */
interface Position {
  lastEventId: string;
  /** Milliseconds to wait before reconnecting. */
  retry: number;
}

/** Longest wait between two attempts to reconnect. */
const maxReconnectWaitMs = 30_000;

/** Without a byte for this long a connection counts as lost: the service sends a heartbeat every 15 seconds. */
const silenceTimeoutMs = 60_000;

/**
 * Reads server-sent events (HTML Standard, section 9.2) until the reader stops or the service ends the stream with 204. Reconnects
 * after a lost connection, however long that takes, and resumes after the last event. Throws what `open` throws the first time, and
 * afterwards any error that is not temporary.
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
  for (let wait = retry; ; wait = Math.min(2 * wait, maxReconnectWaitMs)) {
    await pause(wait, signal);
    try {
      return await open(lastEventId);
    } catch (error) {
      if (!isTemporary(error)) throw error;
    }
  }
}

/** The events of one connection, until it ends or is lost. */
async function* readConnection({ body, headers }: Response, position: Position): AsyncGenerator<StreamEvent, void> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const parse = createStreamParser();
  // Where the stream begins, should it be torn before its first id.
  position.lastEventId = headers.get('last-event-id') ?? position.lastEventId;
  try {
    for (let chunk = await next(reader); chunk; chunk = await next(reader))
      for (const { id, retry, event = 'message', data } of parse(decoder.decode(chunk, { stream: true }))) {
        position.lastEventId = id ?? position.lastEventId;
        position.retry = retry ?? position.retry;
        if (data !== undefined) yield { id: position.lastEventId, type: event, data: JSON.parse(data) as unknown };
      }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The next bytes; `undefined` when the connection ended, was lost or is silent. */
async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, silenceTimeoutMs, undefined);
  });
  try {
    return (await Promise.race([reader.read(), silence]))?.value;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
