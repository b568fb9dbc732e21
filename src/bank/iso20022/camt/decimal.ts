import { type MinorUnits, minorUnits } from '../../../platform/money.ts';
import { type Element, textAt } from '../xml/element.ts';

/**
 * An exact decimal number in units of 10^-17: `DecimalNumber` of the schemas has up to 17 fraction digits, amounts have
 * five. Not a float, which cannot hold 0.1 exactly.
 */
export type Decimal = bigint;

const fractionDigits = 17;

/** A minor unit (two fraction digits) as a decimal. */
export const minorUnit: Decimal = 10n ** 15n;

/** The lexical forms of a non-negative `xs:decimal`: `1000`, `1000.`, `.5`, `+1000.50`. It has no comma and no exponent. */
const decimalPattern = /^\+?(?:(\d{1,30})(?:\.(\d{0,17}))?|\.(\d{1,17}))$/;

/** The most that an order can hold (10^15 of a currency). The 18 digits of the schemas are for currencies of little value. */
const maxAmount = 10n ** 17n;

/** The decimal of an amount, undefined when it is none, and its currency, in upper case and empty when missing. */
export function amountOf(element: Element | undefined): { amount: Decimal | undefined; currency: string } {
  return { amount: parseDecimal(textAt(element)), currency: element?.currency?.trim().toUpperCase() ?? '' };
}

/** The number that a text stands for; `undefined` when it is negative or no decimal number. */
export function parseDecimal(text: string | undefined): Decimal | undefined {
  const match = decimalPattern.exec(text ?? '');
  if (match === null) return undefined;
  const [, integer = '0', fraction = '', bareFraction = ''] = match;
  return BigInt(integer) * 10n ** BigInt(fractionDigits) + BigInt((fraction || bareFraction).padEnd(fractionDigits, '0'));
}

/** The shortest text of a number, with at least two fraction digits. */
export function formatDecimal(value: Decimal): string {
  const digits = (value < 0n ? -value : value).toString().padStart(fractionDigits + 1, '0');
  const fraction = digits.slice(-fractionDigits).replace(/0+$/, '').padEnd(2, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -fractionDigits)}.${fraction}`;
}

/** An amount in minor units; `undefined` when it has more than two decimals or is more than an order can hold. */
export function minorUnitsOf(amount: Decimal | undefined): MinorUnits | undefined {
  if (amount === undefined || amount % minorUnit !== 0n || amount / minorUnit > maxAmount) return undefined;
  return minorUnits(amount / minorUnit);
}
