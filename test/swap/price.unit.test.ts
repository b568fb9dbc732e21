import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Market, pricePurchase, priceSale } from '../../src/swap/price.ts';
import { tokenUnits } from '../../src/platform/money.ts';

const unit = 10n ** 18n;
const market: fc.Arbitrary<Market> = fc.record({
  takerRate: fc.bigInt(1n, 10n ** 22n),
  makerRate: fc.bigInt(1n, 10n ** 22n),
  spreadBps: fc.bigInt(0n, 5_000n),
  depthUsd: fc.bigInt(1n, 10n ** 12n),
});
const amount = fc.oneof(fc.bigInt(1n, 10n ** 33n), fc.bigInt(1n, 10n ** 18n), fc.bigInt(1n, 100n));
const property = (check: (market: Market, amount: bigint) => void) => fc.assert(fc.property(market, amount, check), { numRuns: 2_000 });

describe('a price', () => {
  it('is the formula of the documentation', () => {
    const sold = priceSale({ takerRate: 2n * unit, makerRate: unit, spreadBps: 1_000n, depthUsd: 1_000n }, tokenUnits(500n * unit));
    // 1000 dollars into a pool of 1000, less a tenth: 2000/2 × 0.9.
    expect(sold).toEqual({
      takerAmount: 500n * unit,
      makerAmount: 450n * unit,
      price: (9n * unit) / 10n,
      impact: 500_000n,
      takerUsd: 1_000n * unit,
      makerUsd: 450n * unit,
    });
  });

  it('never costs the maker: what it gives is worth at most what it gets less the spread, at the mid rates', () => {
    property((market, amount) => {
      const kept = 10_000n - market.spreadBps;
      for (const price of [priceSale(market, tokenUnits(amount)), pricePurchase(market, tokenUnits(amount))])
        if (price) expect(price.makerAmount * market.makerRate * 10_000n).toBeLessThanOrEqual(price.takerAmount * market.takerRate * kept);
    });
  });

  it('of a purchase is enough: selling what is to be paid brings at least what was asked for', () => {
    property((market, amount) => {
      const bought = pricePurchase(market, tokenUnits(amount));
      if (bought) expect(priceSale(market, bought.takerAmount).makerAmount).toBeGreaterThanOrEqual(amount);
    });
  });

  it('of a purchase is not a token unit too much', () => {
    property((market, amount) => {
      const bought = pricePurchase(market, tokenUnits(amount));
      if (bought) expect(priceSale(market, tokenUnits(bought.takerAmount - 1n)).makerAmount).toBeLessThan(amount);
    });
  });

  it('of a sale is what its purchase costs at most', () => {
    property((market, amount) => {
      const { makerAmount } = priceSale(market, tokenUnits(amount));
      if (makerAmount > 0n) expect(pricePurchase(market, makerAmount)?.takerAmount).toBeLessThanOrEqual(amount);
    });
  });

  it('falls as the size grows, and a swap in two halves is no worse', () => {
    property((market, amount) => {
      const whole = priceSale(market, tokenUnits(2n * amount));
      const half = priceSale(market, tokenUnits(amount));
      expect(whole.impact).toBeGreaterThanOrEqual(half.impact);
      // One unit is lost by each rounding.
      expect(2n * half.makerAmount + 2n).toBeGreaterThanOrEqual(whole.makerAmount);
    });
  });

  it('never gives more than the pool has', () => {
    property((market, amount) => {
      expect(priceSale(market, tokenUnits(amount)).makerUsd).toBeLessThan(market.depthUsd * unit);
    });
    const all = { takerRate: unit, makerRate: unit, spreadBps: 0n, depthUsd: 1_000n };
    expect(pricePurchase(all, tokenUnits(1_000n * unit))).toBeUndefined();
    expect(pricePurchase(all, tokenUnits(1_000n * unit - 1n))).toBeDefined();
  });
});
