import type { Rpc } from './rpc.ts';

/** EIP-1559 fees, in wei per gas. */
export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** Blocks that fees must last: the base fee rises by at most an eighth per block, so double covers six full blocks. */
const baseFeeHeadroom = 2n;

/** What a transaction sent now should offer. */
export async function suggestFees(rpc: Rpc): Promise<Fees> {
  const [block, tip] = await Promise.all([rpc.getBlock({ blockTag: 'latest' }), rpc.estimateMaxPriorityFeePerGas()]);
  return { maxFeePerGas: (block.baseFeePerGas ?? 0n) * baseFeeHeadroom + tip, maxPriorityFeePerGas: tip };
}

/**
 * What a replacement must offer: nodes demand 10 % more of both fields than the transaction it replaces; an eighth is
 * above that after rounding. More, where the market asks for more.
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
