import { BaseError } from 'viem';
import { describeRpcError } from '../../../chain/node-answer.ts';
import type { Log } from '../../../platform/log.ts';

/**
 * Logs that a node's answer about a transaction failed: it is asked again at the next block, and what the other answers say is recorded
 * meanwhile. Rethrows an error that is not a node's.
 */
export function logFailedAnswer(log: Log, error: unknown, nonce?: bigint): void {
  if (!(error instanceof BaseError)) throw error;
  log.warn({ nonce: nonce?.toString(), err: describeRpcError(error) }, 'a node did not answer; it is asked again at the next block');
}
