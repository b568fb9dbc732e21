import type { Chain } from '../../platform/chains.ts';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import type { ComparisonName } from '../../schema/column-types.ts';

/** All comparisons, in the order in which they are shown. */
export const comparisonNames = ['states', 'index', 'nodes', 'bank'] as const satisfies readonly ComparisonName[];

/** A part of a difference that is explained. */
export interface ComparisonItem {
  text: string;
  /** Minor units by which it makes the actual amount larger than the expected one; negative when smaller. */
  amount: MinorUnits;
}

/** What is compared: a comparison runs for each account of the book and each currency. */
export interface ComparisonSubject {
  comparison: ComparisonName;
  currency: string;
  /** The account of the book; empty for the trial balance. */
  account: string;
  /** Empty for what belongs to no network. */
  chain: Chain | '';
}

/** The result of a comparison. Amounts are minor units, positive for what the account usually holds, also where that is a liability. */
export interface Comparison extends ComparisonSubject {
  expected: MinorUnits;
  actual: MinorUnits;
  /** What explains that the two differ. */
  items: ComparisonItem[];
  /** What is left: the actual amount, less the expected one, less the items. Zero, or money was made or lost. */
  difference: MinorUnits;
}

/** The result of comparing two amounts of a subject. */
export function compareAmounts(
  subject: ComparisonSubject,
  { expected, actual, items }: Pick<Comparison, 'expected' | 'actual' | 'items'>,
): Comparison {
  return { ...subject, expected, actual, items, difference: minorUnits(actual - expected - sumOf(items)) };
}

/** The sum of items, in minor units. */
export function sumOf(items: readonly ComparisonItem[]): MinorUnits {
  return minorUnits(items.reduce((sum, { amount }) => sum + amount, 0n));
}

/** The key by which a subject is known: its comparison, currency and account. */
export function subjectKey({ comparison, currency, account }: ComparisonSubject): string {
  return `${comparison} ${currency} ${account}`;
}

/** Items as a column has them. */
export function readItems(items: readonly { text: string; amount: string }[]): ComparisonItem[] {
  return items.map(({ text, amount }) => ({ text, amount: minorUnits(BigInt(amount)) }));
}
