import { InvalidArgumentError } from 'commander';
import type { ComparisonItem } from '../../ledger/reserve/comparison.ts';
import { minorUnits, parseAmount } from '../../platform/money.ts';

/** Reads an item of an acknowledgement: an amount, which may be negative, and its text. Throws InvalidArgumentError. */
export function parseItem(text: string): ComparisonItem {
  const [, sign, digits = '', words = ''] = /^\s*([+-]?)(\S+)\s+(\S.*)$/s.exec(text) ?? [];
  const amount = parseAmount(digits);
  if (amount === undefined) throw new InvalidArgumentError('It must be an amount and a text, such as "-7.00 forged in transaction 0x12…".');
  return { text: words.trim(), amount: sign === '-' ? minorUnits(0n - amount) : amount };
}
