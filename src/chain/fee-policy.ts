import type { NetworkSettings } from '../platform/settings.ts';
import { type FeeMarket, type Fees, offerFor } from './fees.ts';

/** A tip up to this part of a network's ceiling is believed without evidence from its blocks. */
const unprovenTipDivisor = 50n;

const weiPerGwei = 10n ** 9n;

/** What a network's settings allow a transaction to offer. */
type FeeLimits = Pick<NetworkSettings, 'feeCeilingGwei' | 'transactionFeeCeiling'>;

/** What a transaction may offer at most, in wei per gas: the network's ceiling, or less where its gas would cost more than a transaction may. */
export function feeCeiling({ feeCeilingGwei, transactionFeeCeiling }: FeeLimits, gasLimit: bigint): bigint {
  const forTransaction = (billionths(transactionFeeCeiling) * weiPerGwei) / gasLimit;
  return smaller(billionths(feeCeilingGwei), forTransaction);
}

/** The highest tip that is believed without evidence from recent blocks, in wei per gas. */
export function unprovenTip({ feeCeilingGwei }: FeeLimits): bigint {
  return billionths(feeCeilingGwei) / unprovenTipDivisor;
}

/** The fees of a new transaction, at most `ceiling`; undefined when the market asks for more than that already. */
export function newOffer(market: FeeMarket, ceiling: bigint): Fees | undefined {
  if (market.baseFeePerGas + market.tipPerGas > ceiling) return undefined;
  return capped(offerFor(market), ceiling);
}

/** Whether the market asks for more than a transaction offers: for its fee as a whole, or for its tip. */
export function asksForMore({ baseFeePerGas, tipPerGas }: FeeMarket, offered: Fees): boolean {
  return offered.maxFeePerGas < baseFeePerGas + tipPerGas || offered.maxPriorityFeePerGas < tipPerGas;
}

/**
 * The fees of a replacement: what the market suggests, and at least an eighth more in both fields, because nodes require 10%. Undefined when that
 * is above the ceiling.
 */
export function raisedOffer(offered: Fees, market: FeeMarket, ceiling: bigint): Fees | undefined {
  const least = { maxFeePerGas: raised(offered.maxFeePerGas), maxPriorityFeePerGas: raised(offered.maxPriorityFeePerGas) };
  if (least.maxFeePerGas > ceiling) return undefined;
  const suggested = capped(offerFor(market), ceiling);
  const maxFeePerGas = larger(least.maxFeePerGas, suggested.maxFeePerGas);
  const maxPriorityFeePerGas = smaller(larger(least.maxPriorityFeePerGas, suggested.maxPriorityFeePerGas), maxFeePerGas);
  return { maxFeePerGas, maxPriorityFeePerGas };
}

/** The same tip within a lower fee: what a node takes whose own limit is below the ceiling. Undefined when the market asks for more. */
export function loweredOffer(offered: Fees, market: FeeMarket, limit: bigint): Fees | undefined {
  const lowered = capped(offered, limit);
  return lowered.maxFeePerGas < market.baseFeePerGas + smaller(market.tipPerGas, lowered.maxPriorityFeePerGas) ? undefined : lowered;
}

function capped({ maxFeePerGas, maxPriorityFeePerGas }: Fees, ceiling: bigint): Fees {
  return { maxFeePerGas: smaller(maxFeePerGas, ceiling), maxPriorityFeePerGas: smaller(maxPriorityFeePerGas, ceiling) };
}

function raised(fee: bigint): bigint {
  return fee + fee / 8n + 1n;
}

/** A decimal setting in billionths of its unit: wei where it is in gwei, gwei where it is in coins. */
function billionths(setting: number): bigint {
  return BigInt(Math.round(setting * 1e9));
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
