import type { Hex } from 'viem';

/** What is asked of an endpoint. */
export interface Call {
  method: string;
  params?: unknown;
}

/** What says of which chain a block is, as a node answers it. */
export interface BlockName {
  number: Hex;
  hash: Hex;
  parentHash: Hex;
}

/** Fees are bounded by the operator, and a node that takes a transaction of another chain keeps it from nobody. */
const harmless = new Set(['eth_estimateGas', 'eth_feeHistory', 'eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_sendRawTransaction']);

/** Whether nothing is decided by an answer to this, so that it need not be known after it of which chain the endpoint is. */
export const needsNoCheck = ({ method }: Call): boolean => harmless.has(method);

/** Whether a request asks for the newest block. */
export function isNewestBlock({ method, params }: Call): boolean {
  return method === 'eth_getBlockByNumber' && Array.isArray(params) && params[0] === 'latest';
}

/** Whether an answer says by itself of which chain it is: it has something of a hash of the chain. */
export function saysItsChain({ params }: Call, answer: unknown): boolean {
  const [subject] = Array.isArray(params) ? (params as unknown[]) : [];
  const isByHash = isHash(subject) || blockHashOf(params) !== undefined;
  return isByHash && answer !== null && !(Array.isArray(answer) && answer.length === 0);
}

/** The hash of the block whose logs are asked for; undefined when there is none. */
export function blockHashOf(params: unknown): string | undefined {
  const [filter] = Array.isArray(params) ? (params as [{ blockHash?: unknown } | null]) : [];
  return typeof filter?.blockHash === 'string' ? filter.blockHash : undefined;
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value);
}
