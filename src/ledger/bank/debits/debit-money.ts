import { formatAmount, type MinorUnits, minorUnits } from '../../../platform/money.ts';
import { accounts, bankAccount } from '../../book/accounts.ts';
import { recordEntries } from '../../book/entries.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import type { AccountDebit } from './bank-debits.ts';
import { explanationWrong } from './unexplained-debits.ts';

/** The money of a debit. */
export type DebitMoney = Pick<AccountDebit, 'reference' | 'account' | 'currency' | 'bookedOn'> & { amount: MinorUnits };

/** What money comes to, in minor units. */
export function sumOf(money: readonly { amount: MinorUnits }[]): MinorUnits {
  return minorUnits(money.reduce((sum, { amount }) => sum + amount, 0n));
}

/**
 * A debit leaves the differences: the bank has what is `known`, and booked elsewhere, still, and what the debit has more is the bank's fee, where the operator says so. `what` is a
 * clause of what is known, for the error of another amount.
 */
export async function bookAsKnown(
  tx: LedgerTransaction,
  { reference: source, account, currency, amount, bookedOn }: DebitMoney,
  { known, isWithFee, what }: { known: MinorUnits; isWithFee: boolean; what: string },
): Promise<void> {
  const fee = minorUnits(amount - known);
  if (isWithFee ? fee <= 0n : fee !== 0n) throw explanationWrong(`${what}, and the debit is over ${formatAmount(amount)}`);
  const explained = { kind: 'explained', credit: accounts.differences, currency } as const;
  await recordEntries(tx, [
    { ...explained, source, bookedOn, debit: bankAccount(account), amount: known },
    ...(isWithFee ? [{ ...explained, source: `${source}#fee`, debit: accounts.operator, amount: fee }] : []),
  ]);
}
