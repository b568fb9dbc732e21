import { BaseError, HttpRequestError, LimitExceededRpcError, RpcError, RpcRequestError, TimeoutError, UnknownRpcError } from 'viem';
import { requestTimeoutMs } from './observed-http.ts';

/** An endpoint that is let rest while it does not answer, so that nothing waits for it as long as others are there. */
export interface RestingEndpoint {
  /**
   * Sends a request, and waits for its answer a multiple of the time that the method usually takes. While the endpoint rests it throws at once what ended
   * its last request.
   */
  send<Answer>(method: string, request: () => Promise<Answer>): Promise<Answer>;
  /** Since when it rests, in milliseconds, and the error that it rests for; undefined while it answers. */
  rest(): Rest | undefined;
}

/** Why an endpoint is not asked. */
export interface Rest {
  since: number;
  failure: unknown;
}

/** How many times as long as usual an answer may take, and the bounds of that in milliseconds. */
const patience = { times: 10, least: 1_000, untried: 2_000, most: requestTimeoutMs };

/** Milliseconds until an endpoint that rests is tried again; they double up to the longest. */
const pauseMs = { first: 1_000, longest: 8_000 };

/** The weight of the newest answer in the usual time of a method. */
const newestWeight = 0.2;

/** Lets an endpoint rest after a request that it did not answer. `probe` asks it something that any node answers; `now` is the time in milliseconds. */
export function createRestingEndpoint(probe: () => Promise<unknown>, now: () => number = Date.now): RestingEndpoint {
  /** Milliseconds that a method's answer takes. */
  const usual = new Map<string, number>();
  let resting: Trial | undefined;

  const patienceFor = (method: string): number => {
    const known = usual.get(method);
    if (known === undefined) return patience.untried;
    return Math.min(Math.max(known * patience.times, patience.least), patience.most);
  };

  const ask = async <Answer>(method: string, request: () => Promise<Answer>): Promise<Answer> => {
    const startedAt = now();
    const longest = patienceFor(method);
    try {
      const answer = await within(longest, request());
      const before = usual.get(method);
      const milliseconds = now() - startedAt;
      usual.set(method, before === undefined ? milliseconds : before + (milliseconds - before) * newestWeight);
      return answer;
    } catch (error) {
      // The next such request is waited for twice as long: the method may be slow, and not the endpoint.
      if (error instanceof TimeoutError) usual.set(method, (longest * 2) / patience.times);
      throw error;
    }
  };

  const tryAgain = async (trial: Trial): Promise<void> => {
    if (trial.isTrying || now() < trial.triedAt + trial.pause) return;
    trial.isTrying = true;
    try {
      await ask('probe', probe);
      resting = undefined;
    } catch (failure) {
      Object.assign(trial, { failure, pause: Math.min(trial.pause * 2, pauseMs.longest), triedAt: now(), isTrying: false });
    }
  };

  return {
    async send(method, request) {
      if (resting !== undefined) {
        void tryAgain(resting);
        throw resting.failure;
      }
      try {
        return await ask(method, request);
      } catch (failure) {
        if (isOutage(failure)) resting ??= { since: now(), failure, pause: pauseMs.first, triedAt: now(), isTrying: false };
        throw failure;
      }
    },
    rest: () => resting,
  };
}

/** A rest, and when it is tried whether it may end. */
interface Trial extends Rest {
  pause: number;
  triedAt: number;
  isTrying: boolean;
}

/** The codes of a limit of requests: of EIP-1474, of QuickNode, of gateways, and of HTTP. The first is used for too many results of one request, too. */
const limitCodes = new Set<number>([LimitExceededRpcError.code, -32_007, -32_016, -32_029, 429]);

/** What a text speaks of that is about its one request; `eth_getLogs` is a word of its own. A text may name the limit of requests beside it. */
const requestSizeText = /\b(ranges?|results|blocks|logs|size|too large)\b/i;

/** How nodes that have no code for it say that they limit requests. */
const limitText =
  /\brate.?limit|too many requests|\brequests? (count|limit)\b|\brequests per\b|\bquota\b|\bcompute units\b|(per |\/)(sec|second|minute|day)\b|\brps\b/i;

/** The error with which a node answers a request; undefined when there was no such answer. */
export function nodeError(error: unknown): RpcRequestError | undefined {
  if (!(error instanceof BaseError)) return undefined;
  return (error.walk((inner) => inner instanceof RpcRequestError) as RpcRequestError | null) ?? undefined;
}

/**
 * Whether a node asks for fewer requests, whatever its words; false when its text speaks of what this one request asks, such as a range of blocks. A contract
 * chooses the text of its revert, and must not make an endpoint rest.
 */
export function limitsRequests(error: unknown): boolean {
  const answer = nodeError(error);
  if (!answer)
    return error instanceof BaseError && error.walk((inner) => inner instanceof HttpRequestError && inner.status === 429) !== null;
  if (answer.code === 429) return true;
  if (/\brevert/i.test(answer.details) || requestSizeText.test(answer.details)) return false;
  return limitCodes.has(answer.code) || limitText.test(answer.details);
}

/** Whether an endpoint did not answer as a node does, or asks for fewer requests. */
function isOutage(error: unknown): boolean {
  if (limitsRequests(error) || error instanceof UnknownRpcError) return true;
  // What this one request asks is at fault.
  if (error instanceof HttpRequestError && (error.status === 400 || error.status === 413)) return false;
  return !(error instanceof RpcError || error instanceof RpcRequestError);
}

/** The answer, or a timeout after so many milliseconds. */
async function within<Answer>(milliseconds: number, answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError({ body: {}, url: '' })), milliseconds);
  });
  // It may still fail when nobody waits for it any more.
  answer.catch(() => {});
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
