/**
 * Prices of swaps, in whole token units of 10^-18 and exact fractions. The maker behaves like a pool of `depth` US dollars:
 *
 *     maker amount × maker rate = taker value × (1 − spread) × depth / (depth + taker value),   taker value = taker amount × taker rate
 *
 * so a small swap gets the mid rate less the spread, the price falls as the size grows (the price impact is value / (depth + value)), and
 * nobody gets more than `depth` out of one swap. Every rounding goes against the taker: what is paid out is rounded down, what is to be
 * paid in is rounded up, and both by less than one token unit.
 */

/** What one swap is priced by. */
export interface Market {
  /** US dollars for one unit of the currency, in units of 10^-18. */
  takerRate: bigint;
  makerRate: bigint;
  /** Hundredths of a percent that the maker keeps. */
  spreadBps: bigint;
  /** Whole US dollars; a swap of this value gets half the price. */
  depthUsd: bigint;
}

/** Amounts in token units, values in units of 10^-18 US dollars at the mid rates, rounded down. */
export interface Price {
  takerAmount: bigint;
  makerAmount: bigint;
  /** Maker amount divided by taker amount, in units of 10^-18, rounded down. */
  price: bigint;
  /** How far the size moves the price, in units of 10^-6 (ten-thousandths of a percent), rounded up. */
  impact: bigint;
  takerUsd: bigint;
  makerUsd: bigint;
}

const unit = 10n ** 18n;
const wholeBps = 10_000n;

/** What is paid out for `takerAmount`; zero when that is worth less than a token unit. */
export function priceSale(market: Market, takerAmount: bigint): Price {
  const { makerRate } = market;
  const depth = depthOf(market);
  const value = takerAmount * market.takerRate;
  const makerAmount = (value * keptBps(market) * depth) / (makerRate * wholeBps * (depth + value));
  return describe(market, takerAmount, makerAmount);
}

/** What is to be paid for `makerAmount`; `undefined` when no payment is enough, because it is more than the maker sells at once. */
export function pricePurchase(market: Market, makerAmount: bigint): Price | undefined {
  const depth = depthOf(market);
  const wanted = makerAmount * market.makerRate * wholeBps;
  const rest = keptBps(market) * depth - wanted;
  if (rest <= 0n) return undefined;
  return describe(market, divideUp(wanted * depth, market.takerRate * rest), makerAmount);
}

function describe(market: Market, takerAmount: bigint, makerAmount: bigint): Price {
  const value = takerAmount * market.takerRate;
  return {
    takerAmount,
    makerAmount,
    price: takerAmount === 0n ? 0n : (makerAmount * unit) / takerAmount,
    impact: divideUp(value * 1_000_000n, depthOf(market) + value),
    takerUsd: value / unit,
    makerUsd: (makerAmount * market.makerRate) / unit,
  };
}

/** In the unit of an amount times a rate. */
function depthOf({ depthUsd }: Market): bigint {
  return depthUsd * unit * unit;
}

function keptBps({ spreadBps }: Market): bigint {
  return wholeBps - spreadBps;
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
