import { InvalidArgumentError } from 'commander';
import type { ComparisonItem } from '../../ledger/reserve/comparison.ts';
import { parseComparisonItem } from '../../ledger/reserve/comparison-item.ts';

/** Reads an item of an acknowledgement: an amount, which may be negative, and its text. Throws InvalidArgumentError. */
export function parseItem(text: string): ComparisonItem {
  const item = parseComparisonItem(text);
  if (item) return item;
  throw new InvalidArgumentError('It must be an amount and a text, such as "-7.00 forged in transaction 0x12…".');
}
