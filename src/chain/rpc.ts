import { BaseError, createPublicClient, fallback, type Hex, http, type PublicClient } from 'viem';
import { StopError } from '../platform/errors.ts';
import { type NetworkSettings, networkVariable } from '../platform/settings.ts';

/** All that is read from and sent to a chain goes through one of these. */
export type Rpc = PublicClient;

/**
 * A client over a network's HTTP endpoints, in their order: the next is asked when one fails. Nothing is tried twice at one endpoint: callers come again by themselves.
 * Throws `rpc_not_configured` when the network has no endpoint.
 */
export function createRpc({ chain, rpcUrls }: NetworkSettings): Rpc {
  const urls = rpcUrls.filter((url) => url.startsWith('http'));
  if (urls.length === 0)
    throw new StopError({ code: 'rpc_not_configured', message: `${chain} has no RPC endpoint: set ${networkVariable(chain, 'rpcUrls')}` });
  // Not batched: viem tells the answers of a batch apart by their place alone, so one that a gateway drops would give its place to another.
  const transports = urls.map((url) => http(url, { retryCount: 0, timeout: 15_000 }));
  return createPublicClient({ transport: fallback(transports, { retryCount: 0 }), cacheTime: 0 });
}

/** The revert data that a node reports for a call; `undefined` when the node could not tell (an outage is no answer). */
export function revertData(error: unknown): Hex | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const cause = error.walk((inner) => typeof (inner as { data?: unknown }).data === 'string') as { data?: Hex } | null;
  return cause?.data;
}

/** Whether a node refuses a transaction because it already has it or one of its nonce: both are settled by looking at receipts. */
export function isAlreadyKnown(error: unknown): boolean {
  const text = error instanceof BaseError ? `${error.shortMessage} ${error.details}` : String(error);
  return /already (known|imported)|nonce too low|nonce is too low|replacement transaction underpriced/i.test(text);
}
