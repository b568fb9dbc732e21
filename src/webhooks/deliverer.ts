import type { LookupAddress } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { failureText, GivenUp } from './failure-text.ts';
import { createResolve } from './resolve.ts';
import { signatureHeaders } from './signature.ts';
import { type Environment, permittedAddresses, type Resolve, targetUrl } from './target.ts';

export interface DelivererOptions {
  environment: Environment;
  /** Milliseconds for everything: name, connection, request and the answer's head. */
  timeoutMs?: number;
  resolve?: Resolve;
}

export interface Delivery {
  url: string;
  /** The event's id, by which receivers know a repetition. */
  id: string;
  body: string;
  /** Secrets that sign: the current one, and the one before while it still counts. */
  secrets: readonly string[];
}

/** What became of a delivery. */
export interface Outcome {
  /** The receiver answered 2xx. */
  ok: boolean;
  /** Absent when there was no answer. */
  status?: number;
  /** What happened, without anything of the URL: the path of a webhook is often a secret. */
  reason: string;
  milliseconds: number;
}

/** Never throws for what a URL or its receiver does. */
export type Deliver = (delivery: Delivery) => Promise<Outcome>;

const defaultTimeoutMs = 10_000;

/** Largest head of an answer. A receiver has nothing to say there. */
const mostHeaderBytes = 16 * 1024;

/** Of an answer's body so much is read, for so long, to let an honest receiver finish; none of it is used. */
const mostBodyBytes = 16 * 1024;
const bodyMs = 1_000;

/** Answers before the answer (1xx), of which a receiver may send as many as it likes. */
const mostInformational = 10;

/** A network's address that does not answer leaves time for the name's next one. */
const addressMs = 2_500;

const fixedHeaders = { 'content-type': 'application/json', 'user-agent': 'Mintrail-Webhooks/1', 'accept-encoding': 'identity' };

/**
 * Posts events to their subscribers (docs/api.md, Deliveries). It connects only to addresses that it has checked itself, one
 * connection for each delivery, closed at its end; follows no redirects, keeps no cookies, knows no proxy and decompresses nothing.
 */
export function createDeliverer({ environment, timeoutMs = defaultTimeoutMs, resolve = createResolve() }: DelivererOptions): Deliver {
  return async (delivery) => {
    const begun = performance.now();
    const outcome = await attempt(delivery, { environment, timeoutMs, resolve });
    return { ...outcome, milliseconds: Math.round(performance.now() - begun) };
  };
}

async function attempt(
  { url: given, id, body, secrets }: Delivery,
  { environment, timeoutMs, resolve }: Required<DelivererOptions>,
): Promise<Omit<Outcome, 'milliseconds'>> {
  const headers = { ...fixedHeaders, ...signatureHeaders({ id, body, sentAt: new Date() }, secrets) };
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new GivenUp(`did not answer within ${timeoutMs / 1000} s`)), timeoutMs);
  try {
    const url = targetUrl(given, environment);
    const addresses = await inTime(permittedAddresses(url, environment, resolve), stop.signal);
    return judge(await post(url, { addresses, headers, body, stop }));
  } catch (error) {
    return { ok: false, reason: failureText(error) };
  } finally {
    clearTimeout(timer);
  }
}

function judge(status: number): { ok: boolean; status: number; reason: string } {
  if (status >= 200 && status < 300) return { ok: true, status, reason: `answered ${status}` };
  if (status >= 300 && status < 400) return { ok: false, status, reason: `answered ${status}: redirects are not followed` };
  return { ok: false, status, reason: `answered ${status}` };
}

interface Request {
  addresses: LookupAddress[];
  headers: Record<string, string>;
  body: string;
  stop: AbortController;
}

/** The status of the answer. The connection is gone when this ends, however it ends. */
async function post(url: URL, { addresses, headers, body, stop }: Request): Promise<number> {
  const connection = connectTo(addresses);
  const client = new Client(url.origin, { connect: connection.connect, pipelining: 0, maxHeaderSize: mostHeaderBytes });
  let informational = 0;
  const onInfo = () => {
    informational += 1;
    if (informational > mostInformational) stop.abort(new GivenUp('sent informational answers without end'));
  };
  try {
    const path = url.pathname + url.search;
    const answer = await inTime(client.request({ method: 'POST', path, headers, body, onInfo }), stop.signal);
    await readSome(answer.body, stop.signal);
    return answer.statusCode;
  } finally {
    connection.end();
    client.destroy().catch(() => {});
  }
}

/** Connects to these addresses and no other: the host's name only goes into the certificate's check. */
function connectTo(addresses: LookupAddress[]): { connect: buildConnector.connector; end(): void } {
  const sockets: Socket[] = [];
  const lookup: LookupFunction = (_, { all }, callback) => {
    const [first] = addresses;
    if (all || !first) callback(null, addresses);
    else callback(null, first.address, first.family);
  };
  const connector = buildConnector({ allowH2: false, maxCachedSessions: 0, lookup, autoSelectFamilyAttemptTimeout: addressMs, timeout: 0 });
  return {
    connect(options, callback) {
      sockets.push((connector as unknown as (...given: Parameters<typeof connector>) => Socket)(options, callback));
    },
    end() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function readSome(body: Dispatcher.ResponseData['body'], signal: AbortSignal): Promise<void> {
  const late = setTimeout(() => body.destroy(), bodyMs);
  let bytes = 0;
  const read = async () => {
    for await (const chunk of body as AsyncIterable<Buffer>) if ((bytes += chunk.length) > mostBodyBytes) return;
  };
  // The status was the answer: a body that is late, too long or broken changes nothing.
  await inTime(read(), signal).catch(() => {});
  clearTimeout(late);
}

/** Waits no longer than the signal says. What goes on behind it is ended by whoever began it. */
async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
    work.catch(() => {});
  }
}
