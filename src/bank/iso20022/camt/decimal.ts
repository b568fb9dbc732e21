/**
 * An exact decimal number in units of 10^-17: `DecimalNumber` of the schemas has up to 17 fraction digits, amounts have
 * five. Never a float: 0.1 + 0.2 must be 0.3.
 */
export type Decimal = bigint;

const scale = 17;

/** The lexical forms of a non-negative `xs:decimal`: `1000`, `1000.`, `.5`, `+1000.50`. A comma or an exponent is none. */
const decimalPattern = /^\+?(?:(\d{1,30})(?:\.(\d{0,17}))?|\.(\d{1,17}))$/;

/** Larger amounts (10^15) exceed what an order can hold; the schemas' 18 digits are for currencies without value. */
const maxMinorUnits = 10n ** 17n;

/** The number a text stands for; `undefined` when it is none, or negative. */
export function parseDecimal(text: string | undefined): Decimal | undefined {
  const match = decimalPattern.exec(text ?? '');
  if (match === null) return undefined;
  const [, integer = '0', fraction = '', bareFraction = ''] = match;
  return BigInt(integer) * 10n ** BigInt(scale) + BigInt((fraction || bareFraction).padEnd(scale, '0'));
}

/** The shortest text of a number with at least two decimals. */
export function formatDecimal(value: Decimal): string {
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0');
  const fraction = digits.slice(-scale).replace(/0+$/, '').padEnd(2, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${fraction}`;
}

/** Minor units with two decimals, or why there are none. */
export function minorUnitsOf(value: Decimal): bigint | 'too_precise' | 'too_large' {
  const unit = 10n ** BigInt(scale - 2);
  if (value % unit !== 0n) return 'too_precise';
  return value / unit > maxMinorUnits ? 'too_large' : value / unit;
}
