import type { Rpc } from './endpoints/rpc.ts';

/** EIP-1559 fees, in wei per gas. */
export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** What a transaction must offer to be mined soon, as a node sees it, in wei per gas. */
export interface FeeMarket {
  /** Of the next block. */
  baseFeePerGas: bigint;
  /** The tip that the node suggests. */
  tipPerGas: bigint;
}

/** Factor on the base fee. It rises by at most an eighth per block, so the double lasts for about six full blocks. */
const baseFeeHeadroom = 2n;

/** Blocks whose tips show what is usual: a few minutes of Ethereum, and enough that some are not empty. */
const historyBlocks = 20;

/** A node may suggest this many times the tip that half of a recent block's transactions paid. */
const plausibleTipFactor = 10n;

/**
 * Reads the market from a node. A tip is paid whatever the market is, and the node may lie: it counts up to `unprovenTip` (wei per gas), or up to
 * ten times what recent blocks paid. Throws what the node throws.
 */
export async function readFeeMarket(rpc: Rpc, unprovenTip: bigint): Promise<FeeMarket> {
  const [{ baseFeePerGas, usualTip }, suggestedTip] = await Promise.all([readHistory(rpc), rpc.estimateMaxPriorityFeePerGas()]);
  const plausibleTip = larger(usualTip * plausibleTipFactor, unprovenTip);
  return { baseFeePerGas, tipPerGas: smaller(suggestedTip, plausibleTip) };
}

/** The fees that a transaction should offer: twice the base fee, and the tip. */
export function offerFor({ baseFeePerGas, tipPerGas }: FeeMarket): Fees {
  return { maxFeePerGas: baseFeePerGas * baseFeeHeadroom + tipPerGas, maxPriorityFeePerGas: tipPerGas };
}

/** The fees that a node suggests for a transaction that a person watches, such as a deployment: nothing limits them. */
export async function suggestFees(rpc: Rpc): Promise<Fees> {
  const [{ baseFeePerGas }, tipPerGas] = await Promise.all([readHistory(rpc), rpc.estimateMaxPriorityFeePerGas()]);
  return offerFor({ baseFeePerGas, tipPerGas });
}

/**
 * The base fee of the next block, and the tip that most recent blocks paid. An empty block counts as one without tip: where half of the blocks have
 * room for everybody, what a stranger tips in the others is no evidence.
 */
async function readHistory(rpc: Rpc): Promise<{ baseFeePerGas: bigint; usualTip: bigint }> {
  try {
    const history = await rpc.getFeeHistory({ blockCount: historyBlocks, rewardPercentiles: [50], blockTag: 'latest' });
    const baseFeePerGas = history.baseFeePerGas.at(-1);
    const tips = (history.reward ?? []).map(([median = 0n]) => median);
    if (baseFeePerGas !== undefined) return { baseFeePerGas, usualTip: lowerMedian(tips) ?? 0n };
  } catch {
    // Not every gateway serves the history; the head's own base fee is as good for what a transaction must offer.
  }
  const { baseFeePerGas } = await rpc.getBlock({ blockTag: 'latest' });
  return { baseFeePerGas: baseFeePerGas ?? 0n, usualTip: 0n };
}

/** The middle of the values, the lower of two in the middle; undefined without values. */
export function lowerMedian(values: readonly bigint[]): bigint | undefined {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

/** The larger of two prices. */
export function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** The smaller of two prices. */
export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
