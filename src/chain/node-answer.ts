import { BaseError, ContractFunctionRevertedError, ExecutionRevertedError } from 'viem';
import { limitsRequests, nodeError } from './endpoints/outages.ts';
import { revertData } from './endpoints/rpc.ts';
import { describeContractError } from './token/contract-errors.ts';
import { messageOf, RetryError, StopError } from '../platform/errors.ts';
import { withoutUrlSecrets } from '../platform/url-secrets.ts';

/**
 * What a node answers to a request, or the text with which it refuses it. A refusal counts when it is given twice while `control`, a request
 * that any node serves, succeeds: error texts and codes of nodes differ too much to rely on. Rethrows any other error, which is an outage.
 */
export async function answerOrRefusal<T>(
  request: () => Promise<T>,
  control: () => Promise<unknown>,
): Promise<{ answer: T } | { refusal: string }> {
  try {
    return { answer: await request() };
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
  }
  await control();
  try {
    return { answer: await request() };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return { refusal };
  }
}

/** The node's text in an answer that is an error; undefined when there was no answer, or when the node asks to wait. */
function refusalOf(error: unknown): string | undefined {
  const answer = nodeError(error);
  if (!answer || limitsRequests(error)) return undefined;
  return withoutUrlSecrets(answer.details);
}

/**
 * Runs work with a chain and translates the errors of its client: an outage into the RetryError `rpc_unreachable`, a revert into the StopError
 * `refused_by_contract`. Neither contains the address of an endpoint, which may carry a key.
 */
export async function translateRpcErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BaseError)) throw error;
    const reverted = error.walk((inner) => inner instanceof ExecutionRevertedError || inner instanceof ContractFunctionRevertedError);
    if (reverted) {
      const data = revertData(error);
      const reason = data === undefined || data === '0x' ? describeRpcError(error) : describeContractError(data);
      throw new StopError({ code: 'refused_by_contract', message: `The contract refuses the call: ${reason}` });
    }
    throw new RetryError({ code: 'rpc_unreachable', message: `The chain cannot be reached: ${describeRpcError(error)}` });
  }
}

/** A text of at most 300 characters, without the address of an endpoint, which may carry a key. */
export function describeRpcError(error: unknown): string {
  const text = error instanceof BaseError ? `${error.shortMessage} ${error.details}` : messageOf(error);
  return withoutUrlSecrets(text.replaceAll(/\s+/g, ' ').trim()).slice(0, 300);
}
