import { type Hex, TimeoutError } from 'viem';
import { createAnswerTimes, type SlowMethod } from './answer-times.ts';
import type { BlockHeights } from './block-heights.ts';
import { isOutage, OtherChainError } from './outages.ts';

/** Whether an endpoint answers, in time, for its chain, and with the newest blocks: what its order, its rest and its alarms follow from. */
export interface EndpointHealth {
  /**
   * Sends a request. While the endpoint rests it throws at once what it rests for. Where the chain was not seen for some seconds, the endpoint is asked of which
   * one it is, and an answer for another chain is an `OtherChainError`.
   */
  send<Answer>(call: Call, request: () => Promise<Answer>): Promise<Answer>;
  /** Asks of which chain the endpoint is. Throws an `OtherChainError` when it is of another one. */
  checkChain(): Promise<void>;
  /** Since when it is not asked, in milliseconds, and why; undefined while it is asked. */
  rest(): Rest | undefined;
  /** Since when it is behind the others; undefined while it is not. */
  behind(): Behind | undefined;
  /** Milliseconds that it usually takes to answer a method; undefined while nothing is known. */
  usualMs(method: string): number | undefined;
  /** The method that it answers slowly all the time; undefined when there is none. */
  slow(): SlowMethod | undefined;
  /** Finds out, by a request for whose answer nobody waits, whether it is well again. Does nothing when that was tried shortly before. */
  tryAgain(call: Call, request: () => Promise<unknown>): void;
}

/** What is asked of an endpoint. */
export interface Call {
  method: string;
  params?: unknown;
}

/** Why an endpoint is not asked. */
export interface Rest {
  since: number;
  failure: unknown;
}

/** The newest block of an endpoint that is behind, and that of the others. */
export interface Behind {
  since: number;
  block: bigint;
  newest: bigint;
  /** How often in a row it was seen behind. */
  looks: number;
}

/** Milliseconds until an endpoint that rests is tried again; they double up to the longest. */
const pauseMs = { first: 1_000, longest: 8_000 };

/** An endpoint that was of the chain this long ago may be of another one now. */
const chainKnownMs = 2_000;

/** What the health of an endpoint is found out by. */
export interface EndpointHealthDeps {
  name: string;
  /** Asks for the newest block, and for the chain id. They are not sent through the health. */
  probe: { blockNumber: () => Promise<unknown>; chainId: () => Promise<number> };
  /** The chain that it must be of; by default it is not asked. */
  chainId?: number | undefined;
  heights: BlockHeights;
  /** Whether it rests; the only endpoint of a network is asked whatever it answered. */
  rests: boolean;
  /** Whether there is no other endpoint. */
  isAlone: boolean;
  now?: (() => number) | undefined;
}

/** Begins with an endpoint that is well. */
export function createEndpointHealth({
  name,
  probe,
  chainId,
  heights,
  rests,
  isAlone,
  now = Date.now,
}: EndpointHealthDeps): EndpointHealth {
  const times = createAnswerTimes({ waitsForSilent: isAlone, now });
  let resting: Trial | undefined;
  let behind: Behind | undefined;
  let chainSeenAt = -Infinity;
  /** Of the newest block. */
  let lastHash: Hex | undefined;

  const rest = (failure: unknown) => {
    if (rests || failure instanceof OtherChainError)
      resting ??= { since: now(), failure, pause: pauseMs.first, triedAt: now(), isTrying: false };
  };

  const checkChain = async () => {
    if (chainId === undefined) return;
    try {
      const answered = await times.measure('eth_chainId', probe.chainId);
      if (answered !== chainId) throw new OtherChainError(answered);
      chainSeenAt = now();
    } catch (failure) {
      rest(failure);
      throw failure;
    }
  };

  /** Requests at the same time wait for one answer. */
  let checking: Promise<void> | undefined;
  const checkChainOnce = () => (checking ??= checkChain().finally(() => (checking = undefined)));

  const isChainKnown = () => chainId === undefined || now() - chainSeenAt <= chainKnownMs;

  /** A block that follows the one before is of the same chain, so that nobody need be asked. */
  const checkBlock = async ({ hash, parentHash }: BlockName) => {
    if (lastHash !== undefined && (hash === lastHash || parentHash === lastHash)) chainSeenAt = now();
    else await checkChain();
    lastHash = hash;
  };

  const noteHeight = (block: bigint, reached: bigint | undefined) => {
    if (!heights.note(name, block, reached)) behind = undefined;
    else behind = { since: behind?.since ?? now(), block, newest: reached ?? block, looks: (behind?.looks ?? 0) + 1 };
  };

  const ask = async <Answer>(call: Call, request: () => Promise<Answer>): Promise<Answer> => {
    const reached = heights.ofOthers(name);
    const answered = times.measure(call.method, request);
    // What a node of another chain refuses is no answer either, so that the chain comes first.
    answered.catch(() => {});
    const block = isNewestBlock(call) ? (((await answered) as BlockName | null) ?? undefined) : undefined;
    if (block !== undefined) await checkBlock(block);
    else if (!isChainKnown()) await checkChainOnce();
    const answer = await answered;
    const height = block?.number ?? (call.method === 'eth_blockNumber' ? answer : undefined);
    if (typeof height === 'string') noteHeight(BigInt(height), reached);
    return answer;
  };

  const wake = async (trial: Trial): Promise<void> => {
    if (trial.isTrying || now() < trial.triedAt + trial.pause) return;
    trial.isTrying = true;
    try {
      await Promise.all([times.measure('eth_blockNumber', probe.blockNumber), checkChain()]);
      resting = undefined;
    } catch (failure) {
      Object.assign(trial, { failure, pause: Math.min(trial.pause * 2, pauseMs.longest), triedAt: now(), isTrying: false });
    }
  };

  return {
    async send(call, request) {
      if (resting !== undefined) {
        void wake(resting);
        throw resting.failure;
      }
      const startedAt = now();
      try {
        return await ask(call, request);
      } catch (failure) {
        // It hangs with one method alone.
        const isOfMethod = failure instanceof TimeoutError && times.answeredAt() > startedAt;
        if (isOutage(failure, call.method) && !isOfMethod) rest(failure);
        throw failure;
      }
    },
    checkChain,
    rest: () => resting,
    behind: () => behind,
    usualMs: (method) => times.usual(method),
    slow: () => times.slow(),
    tryAgain(call, request) {
      if (resting !== undefined) void wake(resting);
      // Its time is measured, and whatever it answers is of no use.
      else if (times.isDue(call.method)) request().catch(() => {});
    },
  };
}

/** A rest, and when it is tried whether it may end. */
interface Trial extends Rest {
  pause: number;
  triedAt: number;
  isTrying: boolean;
}

/** What says of which chain a block is, as a node answers it. */
interface BlockName {
  number: Hex;
  hash: Hex;
  parentHash: Hex;
}

function isNewestBlock({ method, params }: Call): boolean {
  return method === 'eth_getBlockByNumber' && Array.isArray(params) && params[0] === 'latest';
}
