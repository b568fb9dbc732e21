import { MintrailApiError, MintrailUnreachableError } from './errors.ts';

/** A request that is ready to be sent. */
export interface Outgoing {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: NonNullable<RequestInit['body']>;
  /** Whether the request may be repeated safely. */
  isRepeatable: boolean;
  signal?: AbortSignal | undefined;
}

/** How requests are sent. */
export interface Transport {
  fetch: typeof fetch;
  /** Milliseconds to wait for an answer. */
  timeout: number;
  /** How often a repeatable request is repeated after the first attempt. */
  retries: number;
}

/** Statuses of temporary errors, of the service and of a load balancer in front of it. */
const temporaryStatuses = new Set([429, 502, 503, 504]);

/** Longest wait before a repetition. If the service asks for more, the caller gets the error instead. */
const maxWaitMs = 30_000;

/**
 * Sends a request and reads its answer. Repeats it, if it is repeatable, when the service is unreachable or asks to wait. Throws
 * MintrailApiError when the API answers with an error, MintrailUnreachableError without an answer, the signal's reason when it is aborted.
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
  // A timer instead of AbortSignal.timeout, because it must not end a stream that `read` returns unread.
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new Error(`no answer within ${transport.timeout} ms`)), transport.timeout);
  try {
    const response = await transport.fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
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

/** Whether a repetition may succeed. A 409 with `Retry-After` means that the same request is still being answered. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof MintrailUnreachableError) return true;
  return (
    error instanceof MintrailApiError && (temporaryStatuses.has(error.status) || (error.status === 409 && error.retryAfter !== undefined))
  );
}

/** Milliseconds to wait before a repetition; `undefined` when there should be none. */
function waitAfter(error: unknown, retry: number): number | undefined {
  const backoffMs = 500 * 2 ** retry;
  if (error instanceof MintrailUnreachableError) return backoffMs;
  if (!(error instanceof MintrailApiError && isTemporary(error))) return undefined;
  const wait = error.retryAfter === undefined ? backoffMs : error.retryAfter * 1_000;
  return wait <= maxWaitMs ? wait : undefined;
}

/** Waits. Throws the signal's reason as soon as it is aborted. */
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

/** The message of fetch is only "fetch failed"; its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || String((error.cause as { code?: string }).code) : error.message;
}
