import type { Rpc } from './rpc.ts';

/** EIP-1559 fees, in wei per gas. */
export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** Factor on the base fee. It rises by at most an eighth per block, so the double lasts for about six full blocks. */
const baseFeeHeadroom = 2n;

/** The fees that a new transaction should offer: twice the base fee, and the tip that the node suggests. */
export async function suggestFees(rpc: Rpc): Promise<Fees> {
  const [block, tip] = await Promise.all([rpc.getBlock({ blockTag: 'latest' }), rpc.estimateMaxPriorityFeePerGas()]);
  return { maxFeePerGas: (block.baseFeePerGas ?? 0n) * baseFeeHeadroom + tip, maxPriorityFeePerGas: tip };
}

/**
 * The fees of a replacement. Nodes require 10 % more than the replaced transaction in both fields; an eighth more is enough after rounding.
 * Higher when the suggested fees are.
 */
export function replacementFees(previous: Fees, suggested: Fees): Fees {
  const maxPriorityFeePerGas = larger(raised(previous.maxPriorityFeePerGas), suggested.maxPriorityFeePerGas);
  const maxFeePerGas = larger(raised(previous.maxFeePerGas), suggested.maxFeePerGas);
  return { maxPriorityFeePerGas, maxFeePerGas: larger(maxFeePerGas, maxPriorityFeePerGas) };
}

function raised(fee: bigint): bigint {
  return fee + fee / 8n + 1n;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
