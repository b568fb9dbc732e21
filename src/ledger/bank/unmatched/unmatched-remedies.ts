import { isOwnPayment } from '../returns/own-payments.ts';

/** The reason of what may have left as well. */
export const unknownDirection = 'direction_unknown';

/** The reason of charges that the bank has not kept, which were explained before: the customer has all that was booked. */
export const undoneCharges = 'charges_undone';

/** Reasons (`rail_reason`) that an operator may override: after a question to the bank the credit can become an order, over what the bank has booked. */
const overridableReasons = new Set([
  'reference_missing',
  'reference_conflict',
  'details_differ',
  'suspected_repeat',
  'status_unknown',
  unknownDirection,
  'sum_differs',
  'transaction_amount_missing',
  'batch_without_details',
  'details_in_other_message',
]);

/** Reasons for which nobody but an operator can say whose account it is for. */
const accountReasons = new Set(['iban_missing', 'iban_invalid', 'account_not_iban']);

/** Whether an unmatched credit with this reason can become an order of its own, once its cause is removed. */
export function isMatchable(railReason: string | null): boolean {
  return railReason === null || overridableReasons.has(railReason);
}

/** What an operator can do with an unmatched credit: each by a command of that name, and `match-payment`, `match-again`, `return-elsewhere` and `settle-debit` by their options. */
export type CreditRemedy = 'match' | 'match-payment' | 'match-again' | 'repeat' | 'return' | 'return-elsewhere' | 'settle' | 'settle-debit';

const commands: Readonly<Record<CreditRemedy, string>> = {
  match: 'mintrail bank match REF',
  'match-payment': 'mintrail bank match REF --payment ID',
  'match-again': 'mintrail bank match REF --again --iban IBAN --reason TEXT',
  repeat: 'mintrail bank repeat REF',
  return: 'mintrail bank return REF',
  'return-elsewhere': 'mintrail bank return REF --to-iban IBAN --to-name NAME',
  settle: 'mintrail bank settle REF --as own|difference:DEBIT --reason TEXT',
  'settle-debit': 'mintrail bank settle REF --as own|difference:DEBIT|debit --reason TEXT',
};

/** What an operator can do with an unmatched credit with this reason, the usual remedy first. */
export function creditRemedies(railReason: string | null): CreditRemedy[] {
  if (isOwnPayment(railReason)) return ['match-payment', 'match-again', 'return-elsewhere', 'settle'];
  if (railReason === 'suspected_repeat') return ['match', 'repeat', 'return', 'settle'];
  if (railReason === unknownDirection) return ['match', 'return', 'settle-debit'];
  if (railReason === 'batch_without_details') return ['match', 'match-payment', 'return', 'settle'];
  if (isMatchable(railReason)) return ['match', 'return', 'settle'];
  if (railReason === undoneCharges) return ['settle'];
  return accountReasons.has(railReason ?? '') ? ['match-again', 'return', 'settle'] : ['return', 'settle'];
}

/** The same as commands. `REF` is the credit's reference. */
export function remediesOf(railReason: string | null): string[] {
  return creditRemedies(railReason).map((remedy) => commands[remedy]);
}
