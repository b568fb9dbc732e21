import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import { networkOfRequest } from '../../../src/platform/http/client-network.ts';

/** Requests of one network address that may be open at once, live queries among them. Their statements run one after the other. */
export const maxOpenRequests = 8;

/** What one network address has under way. */
interface Caller {
  openRequests: number;
  /** Settled when all of its statements that are under way or wait have run. */
  lastTurn: Promise<void>;
}

/** A request of a reader, until its answer has ended. */
interface ReaderRequest {
  network: string;
  caller: Caller;
  hasEnded: boolean;
}

/** A connection of node-postgres, which is given back when a statement or a transaction has ended. */
interface PooledConnection {
  release(error?: Error | boolean): void;
}

type Callback = (error: Error | undefined, connection?: PooledConnection) => void;

/** Ponder's pool of connections for readers. node-postgres connects by a callback for a single statement, else by a promise. */
export interface ReaderPool {
  connect(callback?: Callback): Promise<PooledConnection> | void;
}

const callers = new Map<string, Caller>();
const currentRequest = new AsyncLocalStorage<ReaderRequest>();

/**
 * Bounds what a network address has under way (docs/indexed-data.md, Over HTTP): with more than {@link maxOpenRequests} it gets 429. `trustedProxies` is the
 * setting `TRUST_PROXY`. What the request asks of the database afterwards takes turns ({@link takeTurns}).
 */
export function boundCaller(trustedProxies: number): MiddlewareHandler {
  return async (context, next) => {
    const { incoming, outgoing } = (context.env ?? {}) as { incoming?: IncomingMessage; outgoing?: ServerResponse };
    // A live query is tried as an ordinary one, within its own request and without a connection.
    if (incoming === undefined || outgoing === undefined) return next();
    const forwardedFor = context.req.header('X-Forwarded-For');
    const network = networkOfRequest({ remoteAddress: incoming.socket.remoteAddress, forwardedFor, trustedProxies });
    const caller = callers.get(network) ?? { openRequests: 0, lastTurn: Promise.resolve() };
    if (caller.openRequests >= maxOpenRequests) {
      const text = `Your network address has ${maxOpenRequests} requests under way: wait for one of them, or end a live query`;
      return context.text(text, 429, { 'Retry-After': '5' });
    }
    caller.openRequests += 1;
    callers.set(network, caller);
    const request: ReaderRequest = { network, caller, hasEnded: false };
    outgoing.once('close', () => {
      request.hasEnded = true;
      caller.openRequests -= 1;
      void forgetIdle(network, caller);
    });
    return currentRequest.run(request, next);
  };
}

/** A statement of a reader who has hung up goes on in PostgreSQL: until it has ended, it is the turn of its network address. */
async function forgetIdle(network: string, caller: Caller): Promise<void> {
  for (let turn; turn !== caller.lastTurn;) {
    turn = caller.lastTurn;
    await turn;
  }
  if (caller.openRequests === 0 && callers.get(network) === caller) callers.delete(network);
}

/** The network address of the current request. */
export const currentNetwork = (): string => currentRequest.getStore()?.network ?? '';

const hungUp = () => new Error('The reader has hung up');

/**
 * Lets each network address have one connection of the pool at a time: its next statement or transaction gets one when the one before has given it
 * back. A reader who has hung up while it waited gets none. What belongs to no request, such as Ponder's own statements, gets one at once.
 */
export function takeTurns(pool: ReaderPool): void {
  const connect = pool.connect.bind(pool) as () => Promise<PooledConnection>;
  const connectInTurn = async (): Promise<PooledConnection> => {
    const request = currentRequest.getStore();
    if (request === undefined) return connect();
    const earlier = request.caller.lastTurn;
    const { promise, resolve: end } = Promise.withResolvers<void>();
    request.caller.lastTurn = promise;
    await earlier;
    try {
      if (request.hasEnded) throw hungUp();
      const connection = await connect();
      // It may have waited for one.
      if (request.hasEnded) {
        connection.release();
        throw hungUp();
      }
      const release = connection.release.bind(connection);
      connection.release = (error) => {
        release(error);
        end();
      };
      return connection;
    } catch (error) {
      end();
      throw error;
    }
  };
  pool.connect = (callback) => {
    const connecting = connectInTurn();
    return callback ? void answer(connecting, callback) : connecting;
  };
}

async function answer(connecting: Promise<PooledConnection>, callback: Callback): Promise<void> {
  const [connection, error] = await connecting.then(
    (connected) => [connected, undefined] as const,
    (failure: unknown) => [undefined, failure as Error] as const,
  );
  callback(error, connection);
}
