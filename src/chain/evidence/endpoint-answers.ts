import { type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import type { Endpoint } from '../endpoints/endpoints.ts';
import { firstAnswer } from '../endpoints/first-answer.ts';
import type { HeadBlock } from '../head-block.ts';
import type { Head } from '../head.ts';

/**
 * What endpoints say of mined transactions. While the newest block is the same, an endpoint is asked for each receipt and for the hash of each block
 * once, whoever of the network's worker wants to know it. Where the newest block is that of the only endpoint, its answers stay true for the block after it, too.
 */
export interface EndpointAnswers {
  /** The receipt that an endpoint has; undefined when it has none, which is asked for again the next time. Throws what the endpoint throws. */
  receipt(endpoint: Endpoint, hash: Hex): Promise<TransactionReceipt | undefined>;
  /** The hash of the block that an endpoint has at a number. Throws what the endpoint throws. */
  blockHash(endpoint: Endpoint, blockNumber: bigint): Promise<Hex>;
  /** Forgets everything: two answers do not fit together, because the chain may have changed between them. */
  forget(): void;
}

/**
 * Creates answers of which none is known. Without a head whose block is known nothing is remembered, but questions that are asked at the same time are one.
 * `isOnlyEndpoint` says that the head is what the only endpoint says.
 */
export function createEndpointAnswers(
  head: Pick<Head, 'block'> = { block: () => undefined },
  { isOnlyEndpoint = false } = {},
): EndpointAnswers {
  const answers: Answers = new Map();
  let headOfAnswers: HeadBlock | undefined;

  function once<Answer>(question: string, ask: () => Promise<Answer>, blockOf: (answer: Answer) => Block | undefined): Promise<Answer> {
    const newest = head.block();
    if (newest?.hash !== headOfAnswers?.hash) follow(newest);
    const known = answers.get(question);
    if (known) return known.answer as Promise<Answer>;
    const kept: Kept = { answer: undefined, block: undefined, isOfHead: true };
    kept.answer = keepIfLasting(question, kept, { ask, blockOf, isHeadKnown: newest !== undefined });
    answers.set(question, kept);
    return kept.answer as Promise<Answer>;
  }

  /** What was asked at the head before stays for one head more, if it is still true. */
  function follow(newest: HeadBlock | undefined): void {
    for (const [question, kept] of answers) {
      const isTrue = isOnlyEndpoint && kept.isOfHead && kept.block !== undefined && isBehind(kept.block, headOfAnswers, newest);
      kept.isOfHead = false;
      if (!isTrue) answers.delete(question);
    }
    headOfAnswers = newest;
  }

  /** An answer of nothing may be another one at once, and an outage is none. */
  async function keepIfLasting<Answer>(
    question: string,
    kept: Kept,
    { ask, blockOf, isHeadKnown }: { ask: () => Promise<Answer>; blockOf: (answer: Answer) => Block | undefined; isHeadKnown: boolean },
  ): Promise<Answer> {
    try {
      const answer = await ask();
      if (isHeadKnown) kept.block = blockOf(answer);
      return answer;
    } finally {
      if (kept.block === undefined && answers.get(question) === kept) answers.delete(question);
    }
  }

  return {
    receipt: (endpoint, hash) =>
      once(
        `${endpoint.name} receipt ${hash}`,
        () => findReceipt(endpoint, hash),
        (receipt) => receipt && { number: receipt.blockNumber, hash: receipt.blockHash },
      ),
    blockHash: ({ name, rpc }, number) =>
      once(
        `${name} block ${number}`,
        async () => (await rpc.getBlock({ blockNumber: number })).hash,
        (hash) => ({ number, hash }),
      ),
    forget: () => answers.clear(),
  };
}

type Block = Pick<HeadBlock, 'number' | 'hash'>;

/** An answer, or the question that is under way, and the block that it is about. */
interface Kept {
  answer: Promise<unknown> | undefined;
  block: Block | undefined;
  /** Whether it was asked since the head is the newest block. */
  isOfHead: boolean;
}

type Answers = Map<string, Kept>;

/** Whether `next` follows the head before, and the block is one of the two or behind them: what is behind a block does not change when another follows it. */
function isBehind(block: Block, before: HeadBlock | undefined, next: HeadBlock | undefined): boolean {
  if (before === undefined || next === undefined || next.parentHash !== before.hash) return false;
  return block.number <= before.number || block.hash === next.hash;
}

/** The receipt of a transaction by the first endpoint that answers. Throws what the last of them throws when none does. */
export function firstReceipt(
  answers: Pick<EndpointAnswers, 'receipt'>,
  endpoints: readonly Endpoint[],
  hash: Hex,
): Promise<TransactionReceipt | undefined> {
  return firstAnswer(endpoints, { method: 'eth_getTransactionReceipt' }, (endpoint) => answers.receipt(endpoint, hash));
}

async function findReceipt({ rpc }: Endpoint, hash: Hex): Promise<TransactionReceipt | undefined> {
  try {
    return await rpc.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}
