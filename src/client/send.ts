import { MintrailApiError, MintrailUnreachableError } from './errors.ts';

/** A request that is ready to go. */
export interface Outgoing {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: NonNullable<RequestInit['body']>;
  /** Whether a repetition does no harm. */
  isRepeatable: boolean;
  signal?: AbortSignal | undefined;
}

/** How requests go. */
export interface Transport {
  fetch: typeof fetch;
  /** Milliseconds for which an answer is waited for. */
  timeout: number;
  /** How often a request that may be repeated is, beyond the first time. */
  retries: number;
}

/** Answers that promise that another try may go through: of the service, and of a load balancer before it. */
const passing = new Set([429, 502, 503, 504]);

/** Longest wait for another try, in milliseconds: who is told to wait longer is told so by an error. */
const longestWait = 30_000;

/**
 * Sends a request and reads its answer; again when it may be repeated and the service is out of reach or asks to wait.
 * Throws MintrailApiError on a refusal, MintrailUnreachableError without an answer, the signal's reason when it ends the call.
 */
export async function send<Result>(
  request: Outgoing,
  transport: Transport,
  read: (response: Response) => Promise<Result>,
): Promise<Result> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await attempt(request, transport, read);
    } catch (error) {
      const wait = request.isRepeatable && retry < transport.retries ? waitAfter(error, retry) : undefined;
      if (wait === undefined) throw error;
      await pause(wait, request.signal);
    }
  }
}

async function attempt<Result>(
  { method, url, headers, body, signal }: Outgoing,
  transport: Transport,
  read: (response: Response) => Promise<Result>,
): Promise<Result> {
  // A timer instead of AbortSignal.timeout: what `read` leaves to be read later, a stream, has no end.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${transport.timeout} ms`)), transport.timeout);
  try {
    const response = await transport.fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
    });
    if (!response.ok && response.status !== 304) throw new MintrailApiError(`${method} ${url}`, response, await response.text());
    return await read(response);
  } catch (cause) {
    if (cause instanceof MintrailApiError || cause instanceof MintrailUnreachableError) throw cause;
    signal?.throwIfAborted();
    throw new MintrailUnreachableError(`${method} ${url} got no answer (${reasonOf(cause)}): is the API at this address?`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Whether another try may go through. A conflict that says when to come again is with the same request, still under way. */
export function isPassing(error: unknown): boolean {
  if (error instanceof MintrailUnreachableError) return true;
  return error instanceof MintrailApiError && (passing.has(error.status) || (error.status === 409 && error.retryAfter !== undefined));
}

/** Milliseconds to wait before the next try; `undefined` when there should be none. */
function waitAfter(error: unknown, retry: number): number | undefined {
  const usual = 500 * 2 ** retry;
  if (error instanceof MintrailUnreachableError) return usual;
  if (!(error instanceof MintrailApiError && isPassing(error))) return undefined;
  const wait = error.retryAfter === undefined ? usual : error.retryAfter * 1_000;
  return wait <= longestWait ? wait : undefined;
}

/** Waits. Throws the signal's reason as soon as it ends the call. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** What fetch says is "fetch failed"; its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || String((error.cause as { code?: string }).code) : error.message;
}
