import { setTimeout as delay } from 'node:timers/promises';
import { BaseError, RpcRequestError } from 'viem';
import { ZodError } from 'zod';
import { blockHashOf, type Call } from '../../chain/endpoints/chain-of-answer.ts';
import type { SharedEndpoint } from '../../chain/endpoints/endpoints.ts';
import { isTooLong } from '../../chain/endpoints/outages.ts';
import { type Answer, readAnswer } from './answer-forms.ts';

/** One that is still getting a block or its logs has them after this time. */
export const momentMs = 5_000;

/** What an endpoint answers, and the key that it shares with the same answer of another. */
export interface Answered {
  endpoint: SharedEndpoint;
  answer: Answer;
  key: string;
}

/**
 * Asks an endpoint for a block or for logs. Throws when it does not answer, or nothing that can be true: who answers neither blocks nor logs is noted, and who still has no
 * logs a moment later that a block announces.
 */
export async function askEndpoint(
  endpoint: SharedEndpoint,
  call: Call,
  isPossible: (answer: Answer) => boolean = () => true,
): Promise<Answered> {
  const note = (text: string) => endpoint.health.failures.note(orderedBy(call), new Error(text));
  try {
    const answer = readAnswer(call, await endpoint.rpc.request({ method: call.method, params: call.params } as never));
    if (isPossible(answer)) return { endpoint, answer, key: JSON.stringify(answer) };
  } catch (cause) {
    if (cause instanceof ZodError) note('it answers neither blocks nor logs as nodes do');
    // Whatever its code is: a block and its logs do not depend on who asks, so that the next endpoint may have them.
    throw new BaseError('An endpoint does not say what it has of some blocks.', {
      cause: isRange(call) ? refusalOf(cause) : (cause as Error),
    });
  }
  void deniesStill(endpoint, call, isPossible).then(
    (does) => does && note(`it has no logs of the block ${blockHashOf(call.params)}, which announces some`),
  );
  throw new BaseError('An endpoint does not have the logs of a block yet.');
}

/** Whether what an endpoint answers a moment later is impossible, too. */
async function deniesStill(endpoint: SharedEndpoint, call: Call, isPossible: (answer: Answer) => boolean): Promise<boolean> {
  await delay(momentMs, undefined, { ref: false });
  return askEndpoint(endpoint, call).then(
    ({ answer }) => !isPossible(answer),
    () => false,
  );
}

/** Too long an answer is what nodes refuse: Ponder asks for fewer blocks then. */
function refusalOf(failure: unknown): Error {
  const error = { code: -32_005, message: 'Block range limit exceeded. The answer is too long' };
  return isTooLong(failure) ? new RpcRequestError({ body: {}, url: '', error }) : (failure as Error);
}

/** Asks an endpoint for its newest block. */
export async function askBlock(endpoint: SharedEndpoint, call: Call): Promise<Answered> {
  const answered = await askEndpoint(endpoint, call);
  if (answered.answer === null) throw new BaseError('An endpoint has no newest block.');
  return answered;
}

/** Whether logs of a range of blocks are asked for. */
export const isRange = ({ method, params }: Call): boolean => method === 'eth_getLogs' && blockHashOf(params) === undefined;

/** The method by which endpoints are asked in their order: a block is first asked for by its number. */
export const orderedBy = ({ method }: Call): string => (method === 'eth_getLogs' ? method : 'eth_getBlockByNumber');
