import { BaseError, ContractFunctionRevertedError, ExecutionRevertedError, LimitExceededRpcError, RpcRequestError } from 'viem';
import { MintrailError, messageOf, RetryError, StopError } from '../../platform/errors.ts';
import { withoutUrlSecrets } from '../../platform/url-secrets.ts';

/** `unknown` is an outage: it says nothing of what was to be checked. */
export type Level = 'ok' | 'warning' | 'failure' | 'unknown';

/** What one check found. */
export interface Verdict {
  level: Level;
  detail: string;
  /** What to do about it. */
  remedy?: string;
}

export interface Finding extends Verdict {
  /** What was looked at: an endpoint, a token, a signer. */
  subject: string;
  check: string;
}

export const ok = (detail: string): Verdict => ({ level: 'ok', detail });
export const warning = (detail: string, remedy: string): Verdict => ({ level: 'warning', detail, remedy });
export const failure = (detail: string, remedy: string): Verdict => ({ level: 'failure', detail, remedy });

/** Makes a check. Whatever it throws is an outage, and never a fault of what is checked; a StopError is one. */
export async function find(subject: string, check: string, look: () => Promise<Verdict>): Promise<Finding> {
  try {
    return { subject, check, ...(await look()) };
  } catch (error) {
    if (error instanceof MintrailError && !error.retryable) return { subject, check, level: 'failure', detail: error.message };
    return { subject, check, level: 'unknown', detail: describeError(error), remedy: 'no answer is no verdict: try again' };
  }
}

/**
 * What a node answers, or the text with which it refuses. A refusal counts when it is given twice, while `control`, which any node
 * answers, goes through: texts and codes of errors differ too much to be read. Throws what else goes wrong.
 */
export async function answerOrRefusal<T>(
  ask: () => Promise<T>,
  control: () => Promise<unknown>,
): Promise<{ answer: T } | { refusal: string }> {
  try {
    return { answer: await ask() };
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
  }
  await control();
  try {
    return { answer: await ask() };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return { refusal };
  }
}

/** The node's own words in an answer that is an error; undefined where there was no answer, or where it asks for patience. */
function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const answered = error.walk((inner) => inner instanceof RpcRequestError) as RpcRequestError | null;
  if (!answered || /rate|too many requests|capacity/i.test(answered.details)) return undefined;
  // Providers say the same of too many requests and of too many results: the latter are known by their words.
  if (error.walk((inner) => inner instanceof LimitExceededRpcError) && !/range|results|blocks|logs/i.test(answered.details))
    return undefined;
  return withoutUrlSecrets(answered.details);
}

/** Does work with a chain. Throws RetryError for an outage, StopError for what a contract refuses; no address of an endpoint is in either. */
export async function orOutage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BaseError)) throw error;
    const reverted = error.walk((inner) => inner instanceof ExecutionRevertedError || inner instanceof ContractFunctionRevertedError);
    if (reverted) throw new StopError({ code: 'refused_by_contract', message: `The chain refuses: ${describeError(error)}` });
    throw new RetryError({ code: 'rpc_unreachable', message: `The chain cannot be reached: ${describeError(error)}` });
  }
}

/** Short, and without the address, which carries a key. */
export function describeError(error: unknown): string {
  const text = error instanceof BaseError ? `${error.shortMessage} ${error.details}` : messageOf(error);
  return withoutUrlSecrets(text.replaceAll(/\s+/g, ' ').trim()).slice(0, 300);
}
