import { isValidIBAN } from 'ibantools';
import { describe, expect, it } from 'vitest';
import { createIbanRange, supportedCountries } from '../../src/bank/iban-range.ts';

const range = (country: string, prefix: string) => createIbanRange({ bankIbanCountry: country, bankIbanPrefix: prefix });

/** A bank code in each country's own form. */
const prefixes: Record<string, string> = { BG: 'BNBG9661', GI: 'NWBK', IE: 'AIBK931152', LV: 'BANK', MT: 'MALT01100', RO: 'AAAA' };

describe('a range of IBANs', () => {
  it.each(supportedCountries)('gives valid IBANs in %s, another for each number', (country) => {
    const { compose, size } = range(country, prefixes[country] ?? '0159');
    const ibans = [1n, 2n, 97n, 98n, size / 2n, size].map(compose);
    expect(new Set(ibans).size).toBe(6);
    for (const iban of ibans) {
      expect(isValidIBAN(iban, { allowQRIBAN: true })).toBe(true);
      expect(iban.slice(4)).toMatch(new RegExp(`^${prefixes[country] ?? '0159'}`));
    }
  });

  it('says when it is used up', () => {
    const { compose, size } = range('DE', '37040044000000');
    expect(size).toBe(9_999n);
    expect(() => compose(10_000n)).toThrow('set a new BANK_IBAN_PREFIX');
  });

  it.each([
    ['BE', '539', 'IBANs can be assigned in AD, AT'],
    ['US', '1', '"US" is not one of them'],
    ['IS', '0159260076545510733333', 'room for a prefix of at most 18 characters'],
    ['IS', 'ABCD', 'the bank code there has another form'],
    ['RO', '0159', 'the bank code there has another form'],
  ])('refuses the country %s with the prefix %s at the start', (country, prefix, text) => {
    expect(() => range(country, prefix)).toThrow(text);
  });
});
