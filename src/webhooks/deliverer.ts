import type { LookupAddress } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { AttemptAborted, failureText } from './failure-text.ts';
import { createResolve } from './resolve.ts';
import { signatureHeaders } from './signature.ts';
import { type Environment, permittedAddresses, type Resolve, targetUrl } from './target.ts';

/** How deliveries are sent; `environment` decides which addresses may be called. */
export interface DelivererOptions {
  environment: Environment;
  /** Milliseconds for the whole attempt: name look-up, connection, request and the head of the answer. */
  timeoutMs?: number;
  resolve?: Resolve;
}

/** An event to be sent to a subscriber's URL. */
export interface Delivery {
  url: string;
  /** The event's id, by which receivers recognise a repetition. */
  id: string;
  body: string;
  /** Secrets that sign: the current one and, while it is still valid, the previous one. */
  secrets: readonly string[];
}

/** What became of one attempt to deliver. */
export interface DeliveryResult {
  /** Whether the receiver answered 2xx. */
  ok: boolean;
  /** HTTP status; absent when there was no answer. */
  status?: number;
  /** What happened, for the subscriber. Contains nothing of the URL, because the path of a webhook is often a secret. */
  reason: string;
  milliseconds: number;
}

/** Makes one attempt. Never throws for what a URL or its receiver does. */
export type Deliver = (delivery: Delivery) => Promise<DeliveryResult>;

const defaultTimeoutMs = 10_000;

/** Largest head of an answer that is read. Receivers have no reason to send long headers. */
const maxHeaderBytes = 16 * 1024;

/** How much of an answer's body is read, and for how long, so that an honest receiver can finish. The content is ignored. */
const maxBodyBytes = 16 * 1024;
const bodyTimeoutMs = 1_000;

/** All that is read of one answer: its head, its body and what comes before them. It bounds a status line too, which has no limit of its own. */
const maxAnswerBytes = 512 * 1024;

/** Informational answers (1xx) that a receiver may send before its final one. */
const maxInformationalAnswers = 10;

/** How long one address of a name is tried before the next one, too. */
const nextAddressDelayMs = 2_500;

const fixedHeaders = { 'content-type': 'application/json', 'user-agent': 'Mintrail-Webhooks/1', 'accept-encoding': 'identity' };

/**
 * Posts events to their subscribers (docs/api.md, Deliveries). It connects only to addresses that it has checked itself, uses
 * one connection for each delivery, follows no redirects, keeps no cookies, uses no proxy and decompresses nothing.
 */
export function createDeliverer({ environment, timeoutMs = defaultTimeoutMs, resolve = createResolve() }: DelivererOptions): Deliver {
  return async (delivery) => {
    const startedAt = performance.now();
    const result = await attempt(delivery, { environment, timeoutMs, resolve });
    return { ...result, milliseconds: Math.round(performance.now() - startedAt) };
  };
}

async function attempt(
  { url: urlText, id, body, secrets }: Delivery,
  { environment, timeoutMs, resolve }: Required<DelivererOptions>,
): Promise<Omit<DeliveryResult, 'milliseconds'>> {
  const headers = { ...fixedHeaders, ...signatureHeaders({ id, body, sentAt: new Date() }, secrets) };
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(new AttemptAborted(`did not answer within ${timeoutMs / 1000} s`)), timeoutMs);
  try {
    const url = targetUrl(urlText, environment);
    const addresses = await withAbort(permittedAddresses(url, environment, resolve), abort.signal);
    return resultOf(await post(url, { addresses, headers, body, abort }));
  } catch (error) {
    return { ok: false, reason: failureText(error) };
  } finally {
    clearTimeout(timer);
  }
}

function resultOf(status: number): { ok: boolean; status: number; reason: string } {
  if (status >= 200 && status < 300) return { ok: true, status, reason: `answered ${status}` };
  if (status >= 300 && status < 400) return { ok: false, status, reason: `answered ${status}: redirects are not followed` };
  return { ok: false, status, reason: `answered ${status}` };
}

interface Request {
  /** The only addresses that may be connected to. */
  addresses: LookupAddress[];
  headers: Record<string, string>;
  body: string;
  abort: AbortController;
}

/** Returns the status of the answer. The connection is closed when this ends, however it ends. */
async function post(url: URL, { addresses, headers, body, abort }: Request): Promise<number> {
  const onFlood = () => abort.abort(new AttemptAborted(`sent ${maxAnswerBytes / 1024} kB without an end of its answer`));
  const connection = connectTo(addresses, onFlood);
  const client = new Client(url.origin, { connect: connection.connect, pipelining: 0, maxHeaderSize: maxHeaderBytes });
  let informationalAnswers = 0;
  const onInfo = () => {
    informationalAnswers += 1;
    if (informationalAnswers > maxInformationalAnswers) abort.abort(new AttemptAborted('sent informational answers without end'));
  };
  try {
    const path = url.pathname + url.search;
    const answer = await withAbort(client.request({ method: 'POST', path, headers, body, onInfo }), abort.signal);
    await readBody(answer.body, abort.signal);
    return answer.statusCode;
  } finally {
    connection.end();
    client.destroy().catch(() => {});
  }
}

/** Connects to these addresses and no others; `onFlood` is told when more arrives than any answer has. The host name is only used to check the certificate. */
function connectTo(addresses: LookupAddress[], onFlood: () => void): { connect: buildConnector.connector; end(): void } {
  const sockets: Socket[] = [];
  const lookup: LookupFunction = (_, { all }, callback) => {
    const [first] = addresses;
    if (all || !first) callback(null, addresses);
    else callback(null, first.address, first.family);
  };
  const connector = buildConnector({
    allowH2: false,
    maxCachedSessions: 0,
    lookup,
    autoSelectFamilyAttemptTimeout: nextAddressDelayMs,
    timeout: 0,
  });
  return {
    connect(options, callback) {
      // The connector returns its socket, which undici's types leave out.
      const socket = (connector as unknown as (...parameters: Parameters<typeof connector>) => Socket)(options, callback);
      socket.on('readable', () => {
        if (socket.bytesRead > maxAnswerBytes) onFlood();
      });
      sockets.push(socket);
    },
    end() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Reads a body up to its limits. The status is the answer: a body that is late, too long or broken changes nothing. */
async function readBody(body: Dispatcher.ResponseData['body'], signal: AbortSignal): Promise<void> {
  const timer = setTimeout(() => body.destroy(), bodyTimeoutMs);
  let bytes = 0;
  const read = async () => {
    for await (const chunk of body as AsyncIterable<Buffer>) if ((bytes += chunk.length) > maxBodyBytes) return;
  };
  await withAbort(read(), signal).catch(() => {});
  clearTimeout(timer);
}

/** The result of `work`, or the signal's reason as soon as it aborts. `work` itself goes on, and its caller must end it. */
async function withAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    work.catch(() => {});
  }
}
