import { z } from 'zod';
import type { Brand } from './brand.ts';

/** Currencies, in wire spelling (docs/api.md, Shared types). */
export const currencies = ['eur', 'usd', 'gbp', 'isk'] as const;
export const currencySchema = z.enum(currencies);
/** A currency, in wire spelling. */
export type Currency = (typeof currencies)[number];

/** An amount in hundredths of any currency (also of those without decimals), as the ledger, the bank and the wire have it. */
export type MinorUnits = Brand<bigint, 'MinorUnits'>;

/** An amount in units of 10^-18 of a currency, as the token contracts have it. */
export type TokenUnits = Brand<bigint, 'TokenUnits'>;

/** A number that is known to be minor units, such as a sum of minor units. */
export function minorUnits(value: bigint): MinorUnits {
  return value as MinorUnits;
}

/** A number that is known to be token units, such as a balance that a contract returned. */
export function tokenUnits(value: bigint): TokenUnits {
  return value as TokenUnits;
}

/**
 * Amounts below this are dust, in minor units: less than one of the currency, and 100 ISK. An order costs its operator the same whatever its amount, on Ethereum
 * often more than one euro, so that nobody moves less in earnest, and who does it by the thousand moves costs.
 */
export const dustBelow = { eur: 100n, usd: 100n, gbp: 100n, isk: 100_00n } as const satisfies Record<Currency, bigint>;

/** Decimals of the token contracts. */
export const tokenDecimals = 18;

/** Token units of one minor unit: the token contracts have 18 decimals, money has two. */
export const tokenUnitsPerMinorUnit = 10n ** 16n;

const amountPattern = /^\d+(\.\d{1,2})?$/;

/** More digits than any currency has money; keeps amounts within PostgreSQL's bigint. */
const maxIntegerDigits = 15;

/** Minor units of a wire amount such as `10`, `10.5` or `10.50`; `undefined` when it is not one. */
export function parseAmount(text: string): MinorUnits | undefined {
  if (!amountPattern.test(text)) return undefined;
  const [integer = '', fraction = ''] = text.split('.');
  if (integer.replace(/^0+/, '').length > maxIntegerDigits) return undefined;
  return minorUnits(BigInt(integer) * 100n + BigInt(fraction.padEnd(2, '0')));
}

/** Token units of a decimal such as `10`, `10.5` or `0.000000000000000001`; `undefined` when it is not one. */
export function parseTokenUnits(text: string): TokenUnits | undefined {
  const [, integer = '', fraction = ''] = /^(\d+)(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  if (integer === '' || integer.replace(/^0+/, '').length > maxIntegerDigits) return undefined;
  return tokenUnits(BigInt(integer + fraction.padEnd(tokenDecimals, '0')));
}

/** Wire form of minor units, always with two decimals. */
export function formatAmount(amount: MinorUnits): string {
  const sign = amount < 0n ? '-' : '';
  const digits = amount.toString().replace('-', '').padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** The sum of amounts. */
export function totalOf(amounts: readonly MinorUnits[]): MinorUnits {
  return minorUnits(amounts.reduce((total, amount) => total + amount, 0n));
}

/** The same amount in token units. */
export function toTokenUnits(amount: MinorUnits): TokenUnits {
  return tokenUnits(amount * tokenUnitsPerMinorUnit);
}

/** The amount in minor units, rounded towards zero: a fraction of a cent can be held on chain but not paid out. */
export function toMinorUnits(amount: TokenUnits): MinorUnits {
  return minorUnits(amount / tokenUnitsPerMinorUnit);
}

/** `EURe` and its like: the symbol of a currency's token. */
export function tokenSymbol(currency: Currency): 'EURe' | 'USDe' | 'GBPe' | 'ISKe' {
  return ({ eur: 'EURe', usd: 'USDe', gbp: 'GBPe', isk: 'ISKe' } as const)[currency];
}
