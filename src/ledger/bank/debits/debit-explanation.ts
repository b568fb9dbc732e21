import { StopError } from '../../../platform/errors.ts';
import { isUuid } from '../../../platform/uuid.ts';

/** Kinds of money of the operator's own that leaves: what the bank charges, interest, and whatever else the operator did. */
export const ownKinds = ['fee', 'interest', 'own'] as const;

/**
 * What a debit was: the operator's own money; payments of ours by their ids, beyond which it may be the bank's fee; or by its reference a credit that was
 * returned by hand, or debits that it is a further report of, of a single one also a part; or the credits that the bank took back, of a single one also a part.
 */
export type Explanation =
  | { as: (typeof ownKinds)[number] }
  | { as: 'payment'; payments: readonly string[]; isWithFee: boolean }
  | { as: 'return-of'; credit: string }
  | { as: 'reversal-of'; credits: readonly string[] }
  | { as: 'repeat-of'; debits: readonly string[] };

/** Reads ids of payments, and `fee` where the debit has the bank's fee besides; undefined where one is no id, or none is named. */
export function paymentsOf(named: readonly string[]): Explanation | undefined {
  const payments = named.filter((name) => name !== 'fee').map((id) => id.toLowerCase());
  if (payments.length === 0 || !payments.every(isUuid)) return undefined;
  return { as: 'payment', payments, isWithFee: payments.length < named.length };
}

/** The error of an explanation that does not fit the debit. */
export function explanationWrong(why: string): StopError {
  return new StopError({ code: 'bad_input', message: `This does not explain the debit: ${why}` });
}
