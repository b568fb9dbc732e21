import { minorUnits, parseAmount } from '../../platform/money.ts';
import type { ComparisonItem } from './comparison.ts';

/** Reads an item of an acknowledgement: an amount, which may be negative, and its text, such as `-7.00 forged in 0x12…`. `undefined` when it is none. */
export function parseComparisonItem(text: string): ComparisonItem | undefined {
  const [, sign, digits = '', words = ''] = /^\s*([+-]?)(\S+)\s+(\S.*)$/s.exec(text) ?? [];
  const amount = parseAmount(digits);
  if (amount === undefined) return undefined;
  return { text: words.trim(), amount: sign === '-' ? minorUnits(0n - amount) : amount };
}
