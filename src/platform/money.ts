import { z } from 'zod';

/** Currencies, in wire spelling (docs/api.md, Shared types). */
export const currencies = ['eur', 'usd', 'gbp', 'isk'] as const;
export const currencySchema = z.enum(currencies);
export type Currency = (typeof currencies)[number];

/** Decimals of the token contracts. */
export const tokenDecimals = 18;

/** Minor units have two decimals in every currency, as amounts on the wire have; one minor unit is 10^16 token units. */
const tokenUnitsPerMinorUnit = 10n ** 16n;

const amountPattern = /^\d+(\.\d{1,2})?$/;

/** More digits than any currency has money; keeps amounts within PostgreSQL's bigint. */
const maxIntegerDigits = 15;

/** Minor units of a wire amount such as `10`, `10.5` or `10.50`; `undefined` when it is not one. */
export function parseAmount(text: string): bigint | undefined {
  if (!amountPattern.test(text)) return undefined;
  const [integer = '', fraction = ''] = text.split('.');
  if (integer.replace(/^0+/, '').length > maxIntegerDigits) return undefined;
  return BigInt(integer) * 100n + BigInt(fraction.padEnd(2, '0'));
}

/** Raw token units of a decimal such as `10`, `10.5` or `0.000000000000000001`; `undefined` when it is not one. */
export function parseTokenUnits(text: string): bigint | undefined {
  const [, integer = '', fraction = ''] = /^(\d+)(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  if (integer === '' || integer.replace(/^0+/, '').length > maxIntegerDigits) return undefined;
  return BigInt(integer + fraction.padEnd(tokenDecimals, '0'));
}

/** Wire form of minor units, always with two decimals. */
export function formatAmount(minorUnits: bigint): string {
  const sign = minorUnits < 0n ? '-' : '';
  const digits = (minorUnits < 0n ? -minorUnits : minorUnits).toString().padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Raw token units of minor units. */
export function toTokenUnits(minorUnits: bigint): bigint {
  return minorUnits * tokenUnitsPerMinorUnit;
}

/** Minor units of raw token units, rounded down: a fraction of a cent can be held on chain but not paid out. */
export function toMinorUnits(tokenUnits: bigint): bigint {
  return tokenUnits / tokenUnitsPerMinorUnit;
}

/** `EURe` and its like: the symbol of a currency's token. */
export function tokenSymbol(currency: Currency): 'EURe' | 'USDe' | 'GBPe' | 'ISKe' {
  return ({ eur: 'EURe', usd: 'USDe', gbp: 'GBPe', isk: 'ISKe' } as const)[currency];
}
