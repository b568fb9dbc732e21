import type { Currency } from '../platform/money.ts';

/** Mid rates at one time. A currency without a rate has no price. */
export interface Rates {
  time: Date;
  /** US dollars for one unit of a currency, in units of 10^-18. */
  usd: Partial<Record<Currency, bigint>>;
}

/** The source of prices. Throws `price_unavailable` (retryable) when there are no valid rates: it never returns outdated ones. */
export type ReadRates = () => Promise<Rates>;
