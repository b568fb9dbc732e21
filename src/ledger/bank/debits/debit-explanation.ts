import { StopError } from '../../../platform/errors.ts';

/** Kinds of money of the operator's own that leaves: what the bank charges, interest, and whatever else the operator did. */
export const ownKinds = ['fee', 'interest', 'own'] as const;

/**
 * What a debit was: the operator's own money, a payment of ours by its id, or by its reference a credit that was
 * returned by hand, or debits that it is a further report of, of a single one also a part; or the credits that the bank took back, of a single one also a part.
 */
export type Explanation =
  | { as: (typeof ownKinds)[number] }
  | { as: 'payment'; payment: string }
  | { as: 'return-of'; credit: string }
  | { as: 'reversal-of'; credits: readonly string[] }
  | { as: 'repeat-of'; debits: readonly string[] };

/** The error of an explanation that does not fit the debit. */
export function explanationWrong(why: string): StopError {
  return new StopError({ code: 'explanation_wrong', message: `This does not explain the debit: ${why}` });
}
