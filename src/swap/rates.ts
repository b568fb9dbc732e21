import type { Currency } from '../platform/money.ts';

/** Mid rates of one moment: US dollars for one unit of a currency, in units of 10^-18. A currency without a rate has no price. */
export interface Rates {
  time: Date;
  usd: Partial<Record<Currency, bigint>>;
}

/** Where prices come from. Throws `price_unavailable` when there are none that may be used now: never an old or a doubtful one instead. */
export type ReadRates = () => Promise<Rates>;
