import type { LookupAddress } from 'node:dns';
import { type IncomingMessage, request } from 'node:http';
import { request as requestByTls } from 'node:https';
import type { LookupFunction } from 'node:net';
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
interface Delivery {
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
  /** For how long the receiver asks to be left alone (RFC 9110, section 10.2.3). */
  retryAfterSeconds?: number;
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

/** Interim answers (1xx) that a receiver may send before its final one. */
const maxInterimAnswers = 10;

/** More than any receiver is waited for. */
const longestRetryAfterSeconds = 365 * 86_400;

/** Of 101, which is no interim answer: what follows would be another protocol. */
const switchedProtocols = 'answered 101 (Switching Protocols), which was not asked for';

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
): Promise<Outcome> {
  const headers = { ...fixedHeaders, ...signatureHeaders({ id, body, sentAt: new Date() }, secrets) };
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(new AttemptAborted(`did not answer within ${timeoutMs / 1000} s`)), timeoutMs);
  try {
    const url = targetUrl(urlText, environment);
    const addresses = await withAbort(permittedAddresses(url, environment, resolve), abort.signal);
    return await post(url, { addresses, headers, body, abort });
  } catch (error) {
    return { ok: false, reason: failureText(error) };
  } finally {
    clearTimeout(timer);
  }
}

type Outcome = Omit<DeliveryResult, 'milliseconds'>;

function outcomeOf({ statusCode: status = 0, headers }: IncomingMessage): Outcome {
  if (status >= 200 && status < 300) return { ok: true, status, reason: `answered ${status}` };
  const retryAfterSeconds = secondsOf(headers['retry-after']);
  const failed = { ok: false, status, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  if (status >= 300 && status < 400) return { ...failed, reason: `answered ${status}: redirects are not followed` };
  return { ...failed, reason: status === 101 ? switchedProtocols : `answered ${status}` };
}

/** Seconds of a `Retry-After`, which is their number or a date. */
function secondsOf(retryAfter = ''): number | undefined {
  if (/^\d+$/.test(retryAfter)) return Math.min(Number(retryAfter), longestRetryAfterSeconds);
  // The form of asctime has no zone, and is in UTC (section 5.6.7).
  const at = Date.parse(/ \d{4}$/.test(retryAfter) ? `${retryAfter} GMT` : retryAfter);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}

interface Request {
  /** The only addresses that may be connected to. */
  addresses: LookupAddress[];
  headers: Record<string, string>;
  body: string;
  abort: AbortController;
}

/** The final answer, behind interim ones. The connection is closed when this ends, however it ends. */
async function post(url: URL, { addresses, headers, body, abort }: Request): Promise<Outcome> {
  // Connects to these addresses and no others. The host name is only used to check the certificate.
  const lookup: LookupFunction = (_, { all }, callback) => {
    const [first] = addresses;
    if (all || !first) callback(null, addresses);
    else callback(null, first.address, first.family);
  };
  const connection = { agent: false, lookup, autoSelectFamilyAttemptTimeout: nextAddressDelayMs, maxHeaderSize: maxHeaderBytes };
  const outgoing = (url.protocol === 'https:' ? requestByTls : request)(url, { ...connection, method: 'POST', headers });
  let interimAnswers = 0;
  const onInterim = () => {
    interimAnswers += 1;
    if (interimAnswers > maxInterimAnswers) abort.abort(new AttemptAborted('sent interim answers without end'));
  };
  const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  outgoing.on('response', resolve).on('error', reject).on('continue', onInterim).on('information', onInterim);
  outgoing.on('upgrade', (_, socket) => {
    socket.destroy();
    reject(new AttemptAborted(switchedProtocols));
  });
  outgoing.end(body);
  try {
    const answer = await withAbort(answered, abort.signal);
    await readBody(answer, abort.signal);
    return outcomeOf(answer);
  } finally {
    outgoing.destroy();
  }
}

/** Reads a body up to its limits. The status is the answer: a body that is late, too long or broken changes nothing. */
async function readBody(body: IncomingMessage, signal: AbortSignal): Promise<void> {
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
