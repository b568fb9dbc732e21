import { type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import type { Endpoint } from '../endpoints.ts';
import type { Head } from '../head.ts';

/**
 * What endpoints say of mined transactions. While the newest block is the same, an endpoint is asked for each receipt and for the hash of each block
 * once, whoever of the network's worker wants to know it.
 */
export interface EndpointAnswers {
  /** The receipt that an endpoint has; undefined when it has none, which is asked for again the next time. Throws what the endpoint throws. */
  receipt(endpoint: Endpoint, hash: Hex): Promise<TransactionReceipt | undefined>;
  /** The hash of the block that an endpoint has at a number. Throws what the endpoint throws. */
  blockHash(endpoint: Endpoint, blockNumber: bigint): Promise<Hex>;
  /** Forgets everything: two answers do not fit together, because the chain may have changed between them. */
  forget(): void;
}

/** Creates answers of which none is known. Without a head whose block is known nothing is remembered, but questions that are asked at the same time are one. */
export function createEndpointAnswers(head: Pick<Head, 'block'> = { block: () => undefined }): EndpointAnswers {
  const answers = new Map<string, Promise<unknown>>();
  let headOfAnswers: Hex | undefined;

  function once<Answer>(question: string, ask: () => Promise<Answer>): Promise<Answer> {
    const newest = head.block()?.hash;
    if (newest !== headOfAnswers) answers.clear();
    headOfAnswers = newest;
    const known = answers.get(question) as Promise<Answer> | undefined;
    if (known) return known;
    const answer = keepIfLasting(question, ask, newest !== undefined);
    answers.set(question, answer);
    return answer;
  }

  /** An answer of nothing may be another one at once, and an outage is none. */
  async function keepIfLasting<Answer>(question: string, ask: () => Promise<Answer>, isHeadKnown: boolean): Promise<Answer> {
    let isKept = false;
    try {
      const answer = await ask();
      isKept = isHeadKnown && answer !== undefined;
      return answer;
    } finally {
      if (!isKept) answers.delete(question);
    }
  }

  return {
    receipt: (endpoint, hash) => once(`${endpoint.name} receipt ${hash}`, () => findReceipt(endpoint, hash)),
    blockHash: ({ name, rpc }, blockNumber) => once(`${name} block ${blockNumber}`, async () => (await rpc.getBlock({ blockNumber })).hash),
    forget: () => answers.clear(),
  };
}

/** The receipt of a transaction by the first endpoint that answers, in their order. Throws what the last of them throws when none does. */
export async function firstReceipt(
  answers: Pick<EndpointAnswers, 'receipt'>,
  endpoints: readonly Endpoint[],
  hash: Hex,
): Promise<TransactionReceipt | undefined> {
  let failure: unknown = new Error('there is no endpoint');
  for (const endpoint of endpoints) {
    try {
      return await answers.receipt(endpoint, hash);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function findReceipt({ rpc }: Endpoint, hash: Hex): Promise<TransactionReceipt | undefined> {
  try {
    return await rpc.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}
