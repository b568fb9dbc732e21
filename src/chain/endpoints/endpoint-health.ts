import { BaseError, type Hex, TimeoutError } from 'viem';
import type { WakeSource } from '../../platform/loop.ts';
import { createAnswerTimes, type SlowMethod } from './answer-times.ts';
import type { BlockHeights } from './block-heights.ts';
import { type BlockName, type Call, isNewestBlock, needsNoCheck, saysItsChain } from './chain-of-answer.ts';
import { createMethodFailures, type MethodFailures } from './method-failures.ts';
import { isOutage, limitsRequests, nodeError, OtherChainError } from './outages.ts';

/** Whether an endpoint answers, in time, for its chain, and with the newest blocks: what its order, its rest and its alarms follow from. */
export interface EndpointHealth {
  /**
   * Sends a request. While the endpoint rests it throws at once what it rests for. An answer that does not say by itself of which chain it is, also a refusal,
   * counts when the endpoint says after it that it is of the chain; of another one it is an `OtherChainError`.
   */
  send<Answer>(call: Call, request: () => Promise<Answer>): Promise<Answer>;
  /** Since when it is not asked, in milliseconds, and why; undefined while it is asked. */
  rest(): Rest | undefined;
  /** The method by which it has been behind the others for the longest time; undefined while there is none. */
  behind(): Behind | undefined;
  /** Wakes when its newest block may be an old one, so that those of the others must be known: it stands still for longer than usual, or has gone back. */
  onUnsure: WakeSource;
  /** Milliseconds that it usually takes to answer a method; undefined while nothing is known. */
  usualMs(method: string): number | undefined;
  /** The method that it answers slowly all the time; undefined when there is none. */
  slow(): SlowMethod | undefined;
  /** The methods that others answer and it does not. */
  failures: MethodFailures;
  /** Finds out, by a request for whose answer nobody waits, whether it is well again. Does nothing when that was tried shortly before. */
  tryAgain(call: Call, request: () => Promise<unknown>): void;
}

/** Why an endpoint is not asked. */
export interface Rest {
  since: number;
  failure: unknown;
}

/** The newest block of an endpoint that is behind, by what it answers to a method, and that of the others. */
export interface Behind {
  method: string;
  since: number;
  block: bigint;
  newest: bigint;
  /** How often in a row it was seen behind. */
  looks: number;
}

/** Milliseconds until an endpoint that rests is tried again; they double up to the longest. */
const pauseMs = { first: 1_000, longest: 8_000 };

/** Where nothing is decided by an answer, the endpoint is believed to be of the chain for so long since that was seen. */
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
  /** Whether a newest block that no other endpoint can have is no answer. */
  refusesLeads?: boolean | undefined;
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
  refusesLeads = false,
  now = Date.now,
}: EndpointHealthDeps): EndpointHealth {
  const failures = createMethodFailures(now);
  const times = createAnswerTimes({ waitsForSilent: isAlone, now });
  let resting: Trial | undefined;
  /** By the methods that name the newest block, each of which may answer from a cache. */
  const behind = new Map<string, Behind>();
  const unsure = new Set<() => void>();
  let chainSeenAt = -Infinity;
  /** Of the newest block. */
  let lastHash: Hex | undefined;

  const rest = (failure: unknown) => {
    if (rests || failure instanceof OtherChainError)
      resting ??= { since: now(), failure, pause: pauseMs.first, nextAt: now() + pauseMs.first };
  };

  /** What fails here is never the answer to what was asked besides, so that no error of the node is passed on as its refusal. */
  const checkChain = async () => {
    if (chainId === undefined) return;
    try {
      const answered = await times.measure('eth_chainId', probe.chainId);
      if (answered !== chainId) throw new OtherChainError(answered);
      chainSeenAt = now();
    } catch (failure) {
      const refusal = nodeError(failure);
      if (refusal === undefined || limitsRequests(failure)) throw failure;
      throw new BaseError('The endpoint does not say of which chain it is:', { details: refusal.details });
    }
  };

  let checking: Promise<void> | undefined;
  let nextCheck: Promise<void> | undefined;
  /** Waits for a check that begins after the call. Those that come while there is one share the next. */
  const checkChainAnew = () =>
    (nextCheck ??= Promise.resolve(checking?.catch(() => {})).then(() => {
      nextCheck = undefined;
      checking = checkChain();
      return checking;
    }));

  const isChainKnown = () => chainId === undefined || now() - chainSeenAt <= chainKnownMs;

  /** A block that follows the one before is of the same chain, so that nobody need be asked. */
  const checkBlock = async ({ hash, parentHash }: BlockName) => {
    if (lastHash !== undefined && (hash === lastHash || parentHash === lastHash)) chainSeenAt = now();
    else await checkChainAnew();
    lastHash = hash;
  };

  const noteHeight = (method: string, block: bigint, reached: bigint | undefined) => {
    const verdict = heights.note({ name, method }, block, reached);
    const before = behind.get(method);
    if (verdict !== 'behind') behind.delete(method);
    else behind.set(method, { method, since: before?.since ?? now(), block, newest: reached ?? block, looks: (before?.looks ?? 0) + 1 });
    if (verdict === 'unsure') for (const wake of unsure) wake();
  };

  const checkAnswer = async (call: Call, answer: unknown) => {
    if (isNewestBlock(call) && answer !== null) await checkBlock(answer as BlockName);
    else if (!saysItsChain(call, answer) && !(needsNoCheck(call) && isChainKnown())) await checkChainAnew();
  };

  const ask = async <Answer>(call: Call, request: () => Promise<Answer>): Promise<Answer> => {
    const reached = heights.ofOthers(name);
    let answer: Answer;
    try {
      answer = await times.measure(call.method, request);
    } catch (failure) {
      // What a node of another chain refuses is no answer either.
      if (!isOutage(failure, call.method)) await checkChainAnew();
      throw failure;
    }
    await checkAnswer(call, answer);
    const height = heightOf(call, answer);
    if (height !== undefined) noteHeight(call.method, height, reached);
    return answer;
  };

  /** It may be well otherwise, so that it does not rest. */
  const refuseLead = (call: Call, answer: unknown) => {
    const block = heightOf(call, answer);
    const most = heights.mostOf(name);
    if (!refusesLeads || block === undefined || most === undefined || block <= most) return;
    const failure = new BaseError('The endpoint is ahead of all others:', {
      details: `its newest block is ${block}, and theirs at most ${most}.`,
    });
    failures.note(call.method, failure);
    throw failure;
  };

  /** A try that hangs does not hold up the next one, so that an endpoint is soon known to be well, and one that takes long to answer is, too. */
  const wake = async (trial: Trial): Promise<void> => {
    if (now() < trial.nextAt) return;
    trial.pause = Math.min(trial.pause * 2, pauseMs.longest);
    trial.nextAt = now() + trial.pause;
    try {
      await Promise.all([times.measure('eth_blockNumber', probe.blockNumber), checkChain()]);
      if (resting === trial) resting = undefined;
    } catch (failure) {
      trial.failure = failure;
    }
  };

  return {
    async send(call, request) {
      if (resting !== undefined) {
        void wake(resting);
        throw resting.failure;
      }
      const startedAt = now();
      let answer;
      try {
        answer = await ask(call, request);
      } catch (failure) {
        // It hangs with one method alone.
        const isOfMethod = failure instanceof TimeoutError && times.answeredAt() > startedAt;
        if (isOutage(failure, call.method) && !isOfMethod) rest(failure);
        throw failure;
      }
      refuseLead(call, answer);
      return answer;
    },
    rest: () => resting,
    behind: () => [...behind.values()].toSorted((a, b) => a.since - b.since)[0],
    onUnsure(wake) {
      unsure.add(wake);
      return {
        async close() {
          unsure.delete(wake);
        },
      };
    },
    usualMs: (method) => times.usual(method),
    slow: () => times.slow(),
    failures,
    tryAgain(call, request) {
      if (resting !== undefined) void wake(resting);
      // Its time is measured, and whatever it answers is of no use.
      else if (times.isDue(call.method)) request().catch(() => {});
    },
  };
}

/** The newest block of the chain, where an answer says it. */
function heightOf(call: Call, answer: unknown): bigint | undefined {
  const height = isNewestBlock(call) ? (answer as BlockName | null)?.number : call.method === 'eth_blockNumber' ? answer : undefined;
  return typeof height === 'string' ? BigInt(height) : undefined;
}

/** A rest, and when it is tried whether it may end. */
interface Trial extends Rest {
  pause: number;
  nextAt: number;
}
