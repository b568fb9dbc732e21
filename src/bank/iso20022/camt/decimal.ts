import { type MinorUnits, minorUnits } from '../../../platform/money.ts';
/**
 * An exact decimal number in units of 10^-17: `DecimalNumber` of the schemas has up to 17 fraction digits, amounts have
 * five. Not a float, which cannot hold 0.1 exactly.
 */
export type Decimal = bigint;

const fractionDigits = 17;

/** The lexical forms of a non-negative `xs:decimal`: `1000`, `1000.`, `.5`, `+1000.50`. It has no comma and no exponent. */
const decimalPattern = /^\+?(?:(\d{1,30})(?:\.(\d{0,17}))?|\.(\d{1,17}))$/;

/** The most that an order can hold (10^15 of a currency). The 18 digits of the schemas are for currencies of little value. */
const maxAmount = minorUnits(10n ** 17n);

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

/** A number of a currency in minor units (two fraction digits), or why it cannot be one. */
export function decimalToMinorUnits(value: Decimal): MinorUnits | 'too_precise' | 'too_large' {
  const minorUnit = 10n ** BigInt(fractionDigits - 2);
  if (value % minorUnit !== 0n) return 'too_precise';
  const amount = minorUnits(value / minorUnit);
  return amount > maxAmount ? 'too_large' : amount;
}
