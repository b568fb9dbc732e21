import { StopError } from '../../../platform/errors.ts';
import type { MinorUnits } from '../../../platform/money.ts';
import { endToEndIdOf } from '../../end-to-end-id.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { recordCredits } from '../credits.ts';
import { notBookedReference } from '../derived-references.ts';
import { unusedReferences } from '../reported-credits.ts';
import { applyReturnedPayments, lockReturnedPayments } from './returned-payments.ts';

/** Money that has not left the bank, as an operator says. */
interface Unbooked {
  bankAccount: string;
  currency: string;
  amount: MinorUnits;
  bookedOn: string;
}

/** Gives back what a payment of ours paid, as if its money had come back. Throws `not_possible`. */
export async function bringPaymentBack(tx: LedgerTransaction, payment: string, money: Unbooked, reason: string): Promise<void> {
  const reference = await recordUnbooked(tx, notBookedReference(`${money.bankAccount}#${endToEndIdOf(payment)}`), money);
  const [returned] = await lockReturnedPayments(tx, [{ reference, payment, reason }]);
  if (returned === undefined || returned.lastingProblem !== null)
    throw new StopError({
      code: 'not_possible',
      message: `Its money cannot be given back: ${returned?.lastingProblem ?? `there is no payment ${payment}`}`,
    });
  await applyReturnedPayments(tx, [returned]);
}

/** Records a credit that no file reports. Returns its reference. */
export async function recordUnbooked(tx: LedgerTransaction, wanted: string, money: Unbooked, entryReference?: string): Promise<string> {
  const [reference = ''] = await unusedReferences(tx, 'credits', [{ reference: wanted, bookedOn: money.bookedOn }]);
  const entry = entryReference === undefined ? {} : { entryReference };
  const why = { railReason: 'debit_reversed', unmatched: 'an operator says that the bank has not booked the debit' };
  await recordCredits(tx, [{ ...money, ...entry, ...why, reference, payer: {} }], { source: 'operator', defaultMemo: '', tokens: [] });
  return reference;
}
