import { setTimeout as delay } from 'node:timers/promises';
import type { Chain } from '../../src/platform/chains.ts';
import { UpstreamAnswerError, UpstreamError, type UpstreamFault, upstreamError } from './upstream-errors.ts';

/** The live network of a fork. */
export interface UpstreamOptions {
  chain: Chain;
  url: string;
  /** The last block that the fork has of it, for error messages. */
  block?: number;
  /** Milliseconds for which a request is repeated before it fails; by default 8 s. */
  patienceMs?: number;
  /** Milliseconds for one attempt; by default 10 s. */
  timeoutMs?: number;
}

/** Since when an upstream does not answer, and what to do about it. */
export interface UpstreamTrouble {
  since: Date;
  text: string;
}

/** A client of a live network's endpoint. It keeps to the endpoint's rate limit by itself. */
export interface Upstream {
  /**
   * Sends a JSON-RPC request, again after a failure while there is patience. Throws {@link UpstreamError} when no answer came, and
   * {@link UpstreamAnswerError} for an error that is the answer.
   */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** What is wrong at present; undefined after a request that was answered. */
  trouble(): UpstreamTrouble | undefined;
}

/** Providers bound connections, too; more at once is hardly faster. */
const mostInFlight = 8;

/** The first interval between requests after a limit was met, and the longest. Each further second with a limit doubles it; each answer shortens it a little. */
const firstIntervalMs = 40;
const longestIntervalMs = 1_000;
const recovery = 0.98;

/** Requests that are in flight together meet one limit together: it counts once. */
const sameLimitMs = 1_000;

/** How much longer than otherwise a request is repeated whose upstream is only called too often. */
const limitPatience = 8;

/** A request that takes longer makes the upstream a slow one, which is worth a line in `status` while it lasts. */
const slowMs = 5_000;

/** Creates the client. It sends nothing by itself. */
export function createUpstream({ chain, url, block, patienceMs = 8_000, timeoutMs = 10_000 }: UpstreamOptions): Upstream {
  const state = { inFlight: 0, nextAt: 0, intervalMs: 0, slowedAt: 0, isDown: false, trouble: undefined as UpstreamTrouble | undefined };
  const waiting: (() => void)[] = [];
  const named = { chain, url, block };

  const enter = async (): Promise<void> => {
    while (state.inFlight >= mostInFlight) await new Promise<void>((resolve) => waiting.push(resolve));
    state.inFlight += 1;
    const now = Date.now();
    const at = Math.max(now, state.nextAt);
    state.nextAt = at + state.intervalMs;
    if (at > now) await delay(at - now);
  };
  const leave = (): void => {
    state.inFlight -= 1;
    waiting.shift()?.();
  };
  const slowDown = (retryAfterMs: number): void => {
    const now = Date.now();
    if (now - state.slowedAt > sameLimitMs) {
      state.intervalMs = Math.min(Math.max(state.intervalMs * 2, firstIntervalMs), longestIntervalMs);
      state.slowedAt = now;
    }
    state.nextAt = Math.max(state.nextAt, now + Math.max(retryAfterMs, state.intervalMs));
  };
  const worsen = (error: UpstreamError): void => {
    state.trouble = { since: state.trouble?.since ?? new Date(), text: error.message };
  };

  const recover = (): void => {
    state.isDown = false;
    state.trouble = undefined;
  };
  /** While it is known to be down, one attempt is enough: callers do not hang on an outage. One that limits its callers answers in the end. */
  const patienceFor = (fault: UpstreamFault): number => {
    if (fault === 'refused' || fault === 'pruned') return 0;
    if (fault === 'limited') return limitPatience * patienceMs;
    return state.isDown ? 0 : patienceMs;
  };

  const attempt = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    await enter();
    try {
      return await send(named, { method, params, timeoutMs });
    } catch (error) {
      if (error instanceof LimitError) slowDown(error.retryAfterMs);
      throw error;
    } finally {
      leave();
    }
  };

  return {
    trouble: () => state.trouble,
    async request(method, params) {
      const begun = Date.now();
      const slow = setTimeout(() => {
        const fault = state.intervalMs > 0 ? 'limited' : 'slow';
        worsen(upstreamError(fault, named, `${method} takes longer than ${slowMs / 1_000} s`));
      }, slowMs);
      try {
        for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2_000)) {
          try {
            const result = await attempt(method, params);
            state.intervalMs = state.intervalMs * recovery < 1 ? 0 : state.intervalMs * recovery;
            recover();
            return result;
          } catch (error) {
            if (!(error instanceof UpstreamError)) {
              if (error instanceof UpstreamAnswerError) recover();
              throw error;
            }
            if (Date.now() + pauseMs - begun > patienceFor(error.fault)) {
              state.isDown ||= error.fault === 'unreachable' || error.fault === 'slow';
              worsen(error);
              throw error;
            }
            await delay(pauseMs);
          }
        }
      } finally {
        clearTimeout(slow);
      }
    },
  };
}

/** The endpoint says that it is called too often. */
class LimitError extends UpstreamError {
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super('limited', message);
    this.retryAfterMs = retryAfterMs;
  }
}

interface Attempt {
  method: string;
  params: readonly unknown[];
  timeoutMs: number;
}

async function send(
  named: { chain: Chain; url: string; block?: number | undefined },
  { method, params, timeoutMs }: Attempt,
): Promise<unknown> {
  const fail = (fault: UpstreamFault, detail: string) => upstreamError(fault, named, detail);
  let response: Response;
  let text: string;
  try {
    const { url, authorization } = withoutUser(named.url);
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    text = await response.text();
  } catch (error) {
    const isTimeout = (error as Error).name === 'TimeoutError';
    throw isTimeout ? fail('slow', `no answer to ${method} in ${timeoutMs / 1_000} s`) : fail('unreachable', causeOf(error));
  }
  if (response.status === 429) throw new LimitError(fail('limited', 'HTTP 429').message, retryAfter(response));
  if (response.status === 401 || response.status === 403) throw fail('refused', `HTTP ${response.status}`);
  if (response.status >= 500) throw fail('unreachable', `HTTP ${response.status}`);
  const answer = parse(text);
  if (!answer || (answer.error === undefined && answer.result === undefined))
    throw fail('unreachable', `HTTP ${response.status}, no JSON-RPC answer`);
  if (!answer.error) return answer.result;
  const { code = 0, message = '' } = answer.error;
  if (isLimit(code, message)) throw new LimitError(fail('limited', `error ${code}`).message, 0);
  // A revert has data, and a text of its contract.
  if (code !== 3 && answer.error.data === undefined && isPruned(message)) throw fail('pruned', `error ${code}`);
  throw new UpstreamAnswerError({ ...answer.error, code, message });
}

interface Answer {
  result?: unknown;
  error?: { code?: number; message?: string; data?: unknown };
}

function parse(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}

/** -32005 is EIP-1474's code; -32007 and -32029 are those of providers. */
function isLimit(code: number, message: string): boolean {
  return (
    [-32005, -32007, -32029].includes(code) ||
    /rate.?limit|too many requests|requests? per second|exceeded .*(capacity|quota)/i.test(message)
  );
}

/** What nodes without the state of old blocks answer. */
function isPruned(message: string): boolean {
  return /missing trie node|state .*(not available|unavailable|pruned)|historical state|pruned/i.test(message);
}

/** fetch refuses a URL with a user name, which some endpoints have. */
function withoutUser(address: string): { url: string; authorization: string | undefined } {
  const url = new URL(address);
  if (url.username === '' && url.password === '') return { url: address, authorization: undefined };
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  return { url: url.href, authorization: `Basic ${Buffer.from(user).toString('base64')}` };
}

function retryAfter(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? '0');
  return Number.isFinite(seconds) ? Math.min(seconds, 30) * 1_000 : 0;
}

/** The code of a lost connection, such as ECONNREFUSED; never the message, which may hold the URL. */
function causeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code ?? 'the connection was lost';
}
