import { type TokenUnits, tokenUnits } from '../platform/money.ts';
/**
 * Prices of swaps, in token units (10^-18) and exact fractions. The maker behaves like a pool of `depth` US dollars:
 *
 *     maker amount × maker rate = taker value × (1 − spread) × depth / (depth + taker value),   taker value = taker amount × taker rate
 *
 * A small swap gets the mid rate less the spread, the price falls as the size grows (the price impact is value / (depth + value)), and
 * no swap pays out more than `depth`. Every rounding is against the taker: the maker amount is rounded down, the taker amount is rounded
 * up, each by less than one token unit.
 */

/** The terms of the maker for one pair of currencies. */
export interface Market {
  /** US dollars for one unit of the taker's currency, in units of 10^-18. */
  takerRate: bigint;
  /** The same for the maker's currency. */
  makerRate: bigint;
  /** What the maker keeps, in hundredths of a percent. */
  spreadBps: bigint;
  /** Whole US dollars. A swap of this value gets half the price. */
  depthUsd: bigint;
}

/** The price of one swap. */
export interface Price {
  /** What the taker pays. */
  takerAmount: TokenUnits;
  /** What the maker pays. */
  makerAmount: TokenUnits;
  /** Maker amount divided by taker amount, in units of 10^-18, rounded down. */
  price: bigint;
  /** How far the size moves the price, in units of 10^-6 (ten-thousandths of a percent), rounded up. */
  impact: bigint;
  /** Values of the two amounts at the mid rates, in units of 10^-18 US dollars, rounded down. */
  takerUsd: bigint;
  makerUsd: bigint;
}

const unit = 10n ** 18n;
const wholeBps = 10_000n;

/** The price for a taker who pays `takerAmount` token units. `makerAmount` is zero when that is worth less than a token unit. */
export function priceSale(market: Market, takerAmount: TokenUnits): Price {
  const { makerRate } = market;
  const depth = depthOf(market);
  const value = takerAmount * market.takerRate;
  const makerAmount = tokenUnits((value * keptBps(market) * depth) / (makerRate * wholeBps * (depth + value)));
  return describe(market, takerAmount, makerAmount);
}

/** The price for a taker who wants `makerAmount` token units; `undefined` when that is more than the maker sells in one swap. */
export function pricePurchase(market: Market, makerAmount: TokenUnits): Price | undefined {
  const depth = depthOf(market);
  const value = makerAmount * market.makerRate * wholeBps;
  const rest = keptBps(market) * depth - value;
  if (rest <= 0n) return undefined;
  return describe(market, tokenUnits(divideUp(value * depth, market.takerRate * rest)), makerAmount);
}

function describe(market: Market, takerAmount: TokenUnits, makerAmount: TokenUnits): Price {
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

/** The depth in the unit of an amount times a rate: 10^-36 US dollars. */
function depthOf({ depthUsd }: Market): bigint {
  return depthUsd * unit * unit;
}

function keptBps({ spreadBps }: Market): bigint {
  return wholeBps - spreadBps;
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
