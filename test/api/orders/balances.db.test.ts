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
  it('answers every currency that is asked for once, in that order and exact to the last token unit, and euros where none is', async () => {
    const caller = await api.partner();
    const { address } = await caller.link();
    const euros = { currency: 'eur', amount: '10.000000000000000001' };
    const balances = async (query = '') => (await caller.get(`/balances/chiado/${address.toLowerCase()}${query}`)).json;
    expect(await balances()).toEqual({ address, chain: 'chiado', balances: [euros] });
    const { balances: asked } = await balances('?currency=gbp&currency=eur&currency=gbp');
    expect(asked).toEqual([{ currency: 'gbp', amount: '0.00' }, euros]);
    expect((await balances('?currency=chf')).errors).toEqual({ currency: 'must be one of eur, usd, gbp, isk' });
    // Where it is not linked, and what is not configured.
    expect((await caller.get(`/balances/basesepolia/${address}`)).status).toBe(403);
    expect((await caller.get(`/balances/gnosis/${address}`)).json.errors).toHaveProperty('chain');
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
