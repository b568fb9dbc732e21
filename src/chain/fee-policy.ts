import type { NetworkSettings } from '../platform/settings.ts';
import { type FeeMarket, type Fees, larger, offerFor, smaller } from './fees.ts';

/** A tip up to this part of a network's ceiling is believed without evidence from its blocks. */
const unprovenTipDivisor = 50n;

const weiPerGwei = 10n ** 9n;

/** What a network's settings allow a transaction to offer. */
type FeeLimits = Pick<NetworkSettings, 'feeCeilingGwei' | 'transactionFeeCeiling'>;

/** What a transaction may offer at most, in wei per gas: the network's ceiling, or less where its gas would cost more than a transaction may. */
export function feeCeiling({ feeCeilingGwei, transactionFeeCeiling }: FeeLimits, gasLimit: bigint): bigint {
  const forTransaction = coinsToWei(transactionFeeCeiling) / gasLimit;
  return smaller(billionths(feeCeilingGwei), forTransaction);
}

/** The highest tip that is believed without evidence from recent blocks, in wei per gas. */
export function unprovenTip({ feeCeilingGwei }: FeeLimits): bigint {
  return billionths(feeCeilingGwei) / unprovenTipDivisor;
}

/**
 * The fees of a new transaction, at most `ceiling`; undefined when the base fee alone is above it. A tip is a suggestion, and no price: it gets
 * what the base fee leaves of the ceiling.
 */
export function newOffer(market: FeeMarket, ceiling: bigint): Fees | undefined {
  return market.baseFeePerGas > ceiling ? undefined : marketOffer(market, ceiling);
}

/** The tip of a transaction that is offered in this market, in wei per gas: also where none is sent, because the price is above the ceiling. */
export function offeredTip(market: FeeMarket, limits: FeeLimits): bigint {
  return (newOffer(market, feeCeiling(limits, 1n)) ?? offerFor(market)).maxPriorityFeePerGas;
}

/** Whether the market asks for more than a transaction offers: for its fee as a whole, or for its tip. */
export function asksForMore({ baseFeePerGas, tipPerGas }: FeeMarket, offered: Fees): boolean {
  return offered.maxFeePerGas < baseFeePerGas + tipPerGas || offered.maxPriorityFeePerGas < tipPerGas;
}

/**
 * How far a replacement goes at least: an eighth above what it replaces, twice that, or as far as the ceiling. Doubled, one wei reaches a thousand
 * million gwei within 60 replacements.
 */
export type Raise = 'eighth' | 'double' | 'ceiling';

/**
 * The fees of a replacement: what the market suggests, and at least an eighth more in both fields, because nodes require 10%. Undefined when that
 * is above the ceiling. Beyond an eighth only the fee as a whole goes where `raise` says, which costs nothing while the base fee is lower; the
 * tip is paid, and follows as far as it is believed without evidence.
 */
export function raisedOffer(offered: Fees, market: FeeMarket, ceiling: bigint, raise: Raise = 'eighth'): Fees | undefined {
  const leastFee = raised(offered.maxFeePerGas);
  if (leastFee > ceiling) return undefined;
  const suggested = marketOffer(market, ceiling);
  const maxFeePerGas = withRoom(largest(leastFee, suggested.maxFeePerGas, fartherFee(offered, ceiling, raise)), ceiling);
  const leastTip = largest(raised(offered.maxPriorityFeePerGas), suggested.maxPriorityFeePerGas);
  if (raise === 'eighth') return { maxFeePerGas, maxPriorityFeePerGas: smaller(leastTip, maxFeePerGas) };
  const believedTip = ceiling / unprovenTipDivisor;
  // At the ceiling there is no later raise that could bring the tip along.
  const fartherTip = maxFeePerGas === ceiling ? believedTip : smaller(offered.maxPriorityFeePerGas * 2n, believedTip);
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(largest(leastTip, fartherTip), maxFeePerGas) };
}

function fartherFee({ maxFeePerGas }: Fees, ceiling: bigint, raise: Raise): bigint {
  if (raise === 'ceiling') return ceiling;
  return raise === 'double' ? maxFeePerGas * 2n : 0n;
}

/** The same tip within a lower fee: what a node takes whose own limit is below the ceiling. Undefined when the market asks for more. */
export function loweredOffer(offered: Fees, market: FeeMarket, limit: bigint): Fees | undefined {
  const lowered = capped(offered, limit);
  return lowered.maxFeePerGas < market.baseFeePerGas + smaller(market.tipPerGas, lowered.maxPriorityFeePerGas) ? undefined : lowered;
}

/** What the market suggests, as far as the ceiling allows. */
function marketOffer(market: FeeMarket, ceiling: bigint): Fees {
  const maxFeePerGas = withRoom(offerFor(market).maxFeePerGas, ceiling);
  const left = larger(ceiling - market.baseFeePerGas, 0n);
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(market.tipPerGas, left) };
}

/** A fee that can be raised once more, or the ceiling: one in between could never follow the market there. */
function withRoom(fee: bigint, ceiling: bigint): bigint {
  return raised(fee) > ceiling ? ceiling : fee;
}

function capped({ maxFeePerGas, maxPriorityFeePerGas }: Fees, ceiling: bigint): Fees {
  return { maxFeePerGas: smaller(maxFeePerGas, ceiling), maxPriorityFeePerGas: smaller(maxPriorityFeePerGas, ceiling) };
}

function raised(fee: bigint): bigint {
  return fee + fee / 8n + 1n;
}

/** A setting in the currency of gas as wei. */
export function coinsToWei(setting: number): bigint {
  return billionths(setting) * weiPerGwei;
}

/** A decimal setting in billionths of its unit: wei where it is in gwei, gwei where it is in coins. */
function billionths(setting: number): bigint {
  return BigInt(Math.round(setting * 1e9));
}

function largest(...values: [bigint, ...bigint[]]): bigint {
  return values.reduce(larger);
}
