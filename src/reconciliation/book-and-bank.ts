import { type BankBalance, type Bookings, readBankBalances } from '../ledger/bank/statements/statement-queries.ts';
import { bankAccount } from '../ledger/book/accounts.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { compareAmounts, type Comparison, type ComparisonItem } from '../ledger/reserve/comparison.ts';
import { minorUnits } from '../platform/money.ts';

/**
 * Compares the book with the closing balance of the newest statement of every account and currency, on the day of the statement. The gap is explained by
 * what the book has and no statement lists yet, and by what statements list and the book has on a later day. The rest is money that nobody
 * has booked, or a statement that is missing.
 */
export async function compareBookWithBank(ledger: Ledger): Promise<Comparison[]> {
  return (await readBankBalances(ledger)).map(compareBalance);
}

function compareBalance({ account, currency, closing, booked, unlisted, later }: BankBalance): Comparison {
  const items = [...itemsOf(unlisted, -1n, 'is in no statement yet'), ...itemsOf(later, 1n, 'is in a statement of an earlier day')];
  const subject = { comparison: 'bank', currency, account: bankAccount(account), chain: '' } as const;
  return compareAmounts(subject, { expected: booked, actual: closing, items });
}

function itemsOf({ count, amount, first }: Bookings, sign: 1n | -1n, what: string): ComparisonItem[] {
  const items = first.map(({ kind, source, bookedOn, amount }) => ({
    text: `${kind} ${source} of ${bookedOn} ${what}`,
    amount: minorUnits(amount * sign),
  }));
  const rest = amount - first.reduce((sum, booking) => sum + booking.amount, 0n);
  return count === first.length ? items : [...items, { text: `${count - first.length} more of these`, amount: minorUnits(rest * sign) }];
}
