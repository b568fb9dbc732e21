import { describe, expect, it } from 'vitest';
import { formatTokenUnits } from '../../../src/api/orders/balances.ts';
import { tokenUnits } from '../../../src/platform/money.ts';
import { createTestApi } from '../support/test-api.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(() =>
  createTestApi({
    readBalances: async (_chain, _address, currencies) => (currencies.includes('eur') ? { eur: tokenUnits(10n ** 19n + 1n) } : {}),
  }),
);

describe('GET /balances/{chain}/{address}', () => {
  it('answers euros when no currency is given, exact to the last token unit', async () => {
    const caller = await api.partner();
    const { address } = await caller.link();
    expect((await caller.get(`/balances/chiado/${address.toLowerCase()}`)).json).toEqual({
      address,
      chain: 'chiado',
      balances: [{ currency: 'eur', amount: '10.000000000000000001' }],
    });
  });

  it('answers every currency asked for once, in the order asked', async () => {
    const caller = await api.partner();
    const { address } = await caller.link();
    const { json } = await caller.get(`/balances/chiado/${address}?currency=gbp&currency=eur&currency=gbp`);
    expect(json.balances).toEqual([
      { currency: 'gbp', amount: '0.00' },
      { currency: 'eur', amount: '10.000000000000000001' },
    ]);
  });

  it('refuses a chain on which the address is not linked', async () => {
    const caller = await api.partner();
    const { address } = await caller.link();
    expect((await caller.get(`/balances/basesepolia/${address}`)).status).toBe(403);
  });

  it('refuses a chain that is not configured, and an unknown currency', async () => {
    const caller = await api.partner();
    const { address } = await caller.link();
    expect((await caller.get(`/balances/gnosis/${address}`)).json.errors).toHaveProperty('chain');
    expect((await caller.get(`/balances/chiado/${address}?currency=chf`)).json.errors).toEqual({
      currency: 'must be one of eur, usd, gbp, isk',
    });
  });
});

describe('an amount of token units', () => {
  it.each([
    [0n, '0.00'],
    [1n, '0.000000000000000001'],
    [10n ** 18n, '1.00'],
    [105n * 10n ** 17n, '10.50'],
    [123_456n * 10n ** 15n, '123.456'],
  ])('%s is %s', (units, text) => {
    expect(formatTokenUnits(tokenUnits(units))).toBe(text);
  });
});
