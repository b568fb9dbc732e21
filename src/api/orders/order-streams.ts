import type { Caller } from '../../ledger/access/permissions.ts';
import { findCaller } from '../../ledger/access/access-tokens.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type FeedPosition, newestPosition } from '../../ledger/orders/order-feed.ts';
import { messageOf, RetryError } from '../../platform/errors.ts';
import { RateLimited } from '../../platform/limits/rate-limiter.ts';
import type { Log } from '../../platform/log.ts';
import { createLiveFeed } from './live-feed.ts';
import { openConnection, type StreamConnection, type StreamReader } from './stream-connection.ts';

/** Streams that an application with credentials of its own may have open at this process. Each stream is a connection and a buffer. */
export const streamsPerApplication = 20;

/** Streams of all users of an application together, and of the whole process: no application takes those of the others. */
const streamsPerUsersApplication = 500;
const streamsPerProcess = 1_000;

/** Milliseconds between two heartbeats: below the usual idle timeout of proxies, a minute. The token is checked as often. */
const defaultHeartbeatMs = 15_000;

/** The open order streams of one API process. */
export interface OrderStreams {
  /** Opens a stream of server-sent events after a position of the feed. Throws `rate_limited`, `shutting_down`. */
  open(request: StreamReader & { after: FeedPosition }): Promise<ReadableStream<Uint8Array>>;
}

interface StreamDependencies {
  ledger: Ledger;
  log: Log;
  /** Aborted when the process shuts down: every stream ends. */
  closing: AbortSignal;
  heartbeatMs?: number;
}

/** The streams of order events of this process. */
export function createOrderStreams({ ledger, log, closing, heartbeatMs = defaultHeartbeatMs }: StreamDependencies): OrderStreams {
  const streams = new Set<StreamConnection>();
  const feed = createLiveFeed({ ledger, log, streams });
  closing.addEventListener('abort', () => streams.forEach((stream) => stream.end('the API is shutting down')));

  return {
    async open({ after, ...reader }) {
      const newest = await newestPosition(ledger);
      if (closing.aborted) throw new RetryError({ code: 'shutting_down', message: 'The API is shutting down: connect again' });
      requireRoom(streams, reader.caller, ledger.quotas.streams);
      const { connection, body } = openConnection(reader, after, (reason) => {
        streams.delete(connection);
        for (const timer of timers) clearTimeout(timer);
        log.debug({ application: reader.caller.application, reason }, 'order stream ended');
      });
      const timers = [
        setInterval(() => void sendHeartbeat(connection, { ledger, log }), heartbeatMs).unref(),
        setTimeout(() => connection.end('its token has expired'), reader.caller.expiresAt.getTime() - Date.now()).unref(),
      ];
      streams.add(connection);
      feed.follow(connection, newest);
      return body;
    },
  };
}

/** Shows that the stream is alive, and ends it when its token or its application is no longer valid. */
async function sendHeartbeat(stream: StreamConnection, { ledger, log }: Pick<StreamDependencies, 'ledger' | 'log'>): Promise<void> {
  stream.sendHeartbeat();
  try {
    const caller = await findCaller(ledger, stream.tokenHash);
    if (caller) stream.caller = caller;
    else stream.end('its token is no longer valid');
  } catch (error) {
    log.warn({ err: messageOf(error) }, 'the token of an order stream could not be checked; trying again');
  }
}

/** A user has a limit of their own, so that none takes the streams of the others; 0 is no limit. */
function requireRoom(streams: Set<StreamConnection>, { application, user, kind }: Caller, streamsPerUser: number): void {
  const isUsers = kind === 'authorization_code';
  const ofApplication = [...streams].filter(({ caller }) => caller.application === application);
  const ofUser = ofApplication.filter(({ caller }) => caller.user === user);
  const remedy = 'close one, or try again later';
  if (isUsers && streamsPerUser > 0 && ofUser.length >= streamsPerUser)
    throw new RateLimited(`This user has ${ofUser.length} streams open, which is the limit: ${remedy}`, defaultHeartbeatMs);
  if (ofApplication.length >= (isUsers ? streamsPerUsersApplication : streamsPerApplication))
    throw new RateLimited(`This application has ${ofApplication.length} streams open, which is the limit: ${remedy}`, defaultHeartbeatMs);
  if (streams.size >= streamsPerProcess)
    throw new RateLimited(`The service has ${streams.size} streams open: ${remedy}`, defaultHeartbeatMs);
}
