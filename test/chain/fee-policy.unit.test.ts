import { assert, bigInt, constantFrom, property, record, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asksForMore, feeCeiling, loweredOffer, newOffer, type Raise, raisedOffer, unprovenTip } from '../../src/chain/fee-policy.ts';
import type { FeeMarket, Fees } from '../../src/chain/fees.ts';

const wei = bigInt({ min: 0n, max: 10n ** 13n });
const market = record({ baseFeePerGas: wei, tipPerGas: wei });
const offered = tuple(wei, wei).map(([a, b]): Fees => ({ maxFeePerGas: a > b ? a : b, maxPriorityFeePerGas: a > b ? b : a }));
const step = constantFrom<Raise>('eighth', 'double', 'ceiling');
const nothing: FeeMarket = { baseFeePerGas: 0n, tipPerGas: 0n };
const dearer = ({ baseFeePerGas, tipPerGas }: FeeMarket, by: bigint): FeeMarket => ({ baseFeePerGas: baseFeePerGas + by, tipPerGas });

const isPayable = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees) => maxPriorityFeePerGas <= maxFeePerGas;

describe('the ceiling', () => {
  const limits = { feeCeilingGwei: 300, transactionFeeCeiling: 0.9 };

  it('is that of the network for a small transaction, and what a transaction may cost for a large one', () => {
    expect(feeCeiling(limits, 21_000n)).toBe(300n * 10n ** 9n);
    expect(feeCeiling(limits, 10_000_000n)).toBe(90n * 10n ** 9n);
  });

  it('may be less than a gwei', () => {
    expect(feeCeiling({ feeCeilingGwei: 0.000_000_5, transactionFeeCeiling: 1 }, 1n)).toBe(500n);
    expect(feeCeiling({ feeCeilingGwei: 0.25, transactionFeeCeiling: 1 }, 1n)).toBe(250_000_000n);
  });

  it('believes a fiftieth of it as a tip', () => {
    expect(unprovenTip(limits)).toBe(6n * 10n ** 9n);
  });
});

describe('what a new transaction offers', () => {
  it('pays the base fee and as much of the tip as the ceiling leaves, or there is none because the base fee alone is above the ceiling', () => {
    assert(
      property(market, wei, (now, ceiling) => {
        const offer = newOffer(now, ceiling);
        expect(offer === undefined).toBe(now.baseFeePerGas > ceiling);
        if (!offer) return;
        expect(offer.maxFeePerGas).toBeLessThanOrEqual(ceiling);
        expect(offer.maxFeePerGas).toBeGreaterThanOrEqual(now.baseFeePerGas + offer.maxPriorityFeePerGas);
        expect(asksForMore(now, offer)).toBe(now.baseFeePerGas + now.tipPerGas > ceiling);
      }),
    );
  });

  it('is the ceiling, or can be raised once more', () => {
    assert(
      property(market, wei, (now, ceiling) => {
        const offer = newOffer(now, ceiling);
        if (offer && offer.maxFeePerGas < ceiling) expect(raisedOffer(offer, now, ceiling)).toBeDefined();
      }),
    );
  });
});

describe('what a replacement offers', () => {
  it('is never above the ceiling', () => {
    assert(
      property(offered, market, wei, step, (before, now, ceiling, raise) => {
        const offer = raisedOffer(before, now, ceiling, raise);
        if (!offer) return;
        expect(offer.maxFeePerGas).toBeLessThanOrEqual(ceiling);
        expect(isPayable(offer)).toBe(true);
      }),
    );
  });

  it('is more than a tenth above the replaced transaction in both fields, as nodes require', () => {
    assert(
      property(offered, market, wei, step, (before, now, ceiling, raise) => {
        const offer = raisedOffer(before, now, ceiling, raise);
        if (!offer) return;
        expect(offer.maxFeePerGas * 10n).toBeGreaterThan(before.maxFeePerGas * 11n);
        expect(offer.maxPriorityFeePerGas * 10n).toBeGreaterThan(before.maxPriorityFeePerGas * 11n);
      }),
    );
  });

  it('is not less when the market asks for more', () => {
    assert(
      property(offered, market, wei, wei, (before, now, by, ceiling) => {
        const [offer, dearerOffer] = [raisedOffer(before, now, ceiling), raisedOffer(before, dearer(now, by), ceiling)];
        expect(dearerOffer === undefined).toBe(offer === undefined);
        expect(dearerOffer?.maxFeePerGas ?? 0n).toBeGreaterThanOrEqual(offer?.maxFeePerGas ?? 0n);
      }),
    );
  });

  it('reaches any market below the ceiling at once when the node tells it, from any offer that can be raised', () => {
    assert(
      property(offered, market, wei, step, (before, now, ceiling, raise) => {
        const offer = raisedOffer(before, now, ceiling, raise);
        if (!offer || now.baseFeePerGas + now.tipPerGas > ceiling) return;
        expect(asksForMore(now, offer)).toBe(false);
      }),
    );
  });

  it('reaches any market below the ceiling when no node tells it but all call it underpriced, within 44 doublings', () => {
    assert(
      property(market, wei, offered, ({ baseFeePerGas }, ceiling, before) => {
        if (baseFeePerGas > ceiling || raisedOffer(before, nothing, ceiling) === undefined) return;
        let offer = before;
        let steps = 0;
        for (; offer.maxFeePerGas < baseFeePerGas; steps += 1) offer = raisedOffer(offer, nothing, ceiling, 'double') as Fees;
        expect(steps).toBeLessThanOrEqual(44);
      }),
    );
  });

  it('ends at the ceiling, with the tip that is believed without evidence, after 60 doublings from one wei to any ceiling', () => {
    assert(
      property(bigInt({ min: 2n, max: 10n ** 18n }), (ceiling) => {
        let offer: Fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n };
        let steps = 0;
        for (let next: Fees | undefined = offer; next; next = raisedOffer(offer, nothing, ceiling, 'double'), steps += 1) offer = next;
        expect(steps).toBeLessThanOrEqual(61);
        expect(offer.maxFeePerGas).toBe(ceiling);
        expect(offer.maxPriorityFeePerGas).toBeGreaterThanOrEqual(ceiling / 50n);
      }),
    );
  });

  it('goes to the ceiling at once when it must, and no further', () => {
    assert(
      property(offered, market, wei, (before, now, ceiling) => {
        const offer = raisedOffer(before, now, ceiling, 'ceiling');
        if (!offer) return;
        expect(offer.maxFeePerGas).toBe(ceiling);
        expect(raisedOffer(offer, dearer(now, 1n), ceiling, 'ceiling')).toBeUndefined();
      }),
    );
  });

  it('tips no more than the market and what is believed without evidence, beyond the eighth that nodes require', () => {
    assert(
      property(offered, market, wei, step, (before, now, ceiling, raise) => {
        const offer = raisedOffer(before, now, ceiling, raise);
        if (!offer) return;
        const tips = [now.tipPerGas, ceiling / 50n, (before.maxPriorityFeePerGas * 9n) / 8n + 1n];
        expect(tips.some((tip) => offer.maxPriorityFeePerGas <= tip)).toBe(true);
      }),
    );
  });
});

describe('the market', () => {
  it('asks for no more than a new offer of its own, nor for more of a higher one', () => {
    assert(
      property(market, wei, (now, by) => {
        const offer = newOffer(now, 10n ** 20n) as Fees;
        expect(asksForMore(now, offer)).toBe(false);
        expect(asksForMore(now, { ...offer, maxFeePerGas: offer.maxFeePerGas + by })).toBe(false);
      }),
    );
  });

  it('asks for more when the base fee or the tip has risen above what is offered', () => {
    const offer = { maxFeePerGas: 21n, maxPriorityFeePerGas: 1n };
    expect(asksForMore({ baseFeePerGas: 20n, tipPerGas: 1n }, offer)).toBe(false);
    expect(asksForMore({ baseFeePerGas: 21n, tipPerGas: 1n }, offer)).toBe(true);
    expect(asksForMore({ baseFeePerGas: 10n, tipPerGas: 2n }, offer)).toBe(true);
  });
});

describe('what a transaction offers whose node has a limit of its own', () => {
  it('is within the limit and pays the base fee, or there is none', () => {
    assert(
      property(offered, market, wei, (before, now, limit) => {
        const offer = loweredOffer(before, now, limit);
        if (!offer) return;
        expect(offer.maxFeePerGas).toBeLessThanOrEqual(limit);
        expect(offer.maxFeePerGas).toBeGreaterThanOrEqual(now.baseFeePerGas);
        expect(isPayable(offer)).toBe(true);
      }),
    );
  });
});
