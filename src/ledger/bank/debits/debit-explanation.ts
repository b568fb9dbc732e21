/** Kinds of money of the operator's own that leaves: what the bank charges, interest, and whatever else the operator did. */
export const ownKinds = ['fee', 'interest', 'own'] as const;

/**
 * What a debit was: the operator's own money, a payment of ours by its id, or by its reference a credit that was
 * returned by hand, or a debit that it is a second report of; or the credits that the bank took back, of a single one also a part.
 */
export type Explanation =
  | { as: (typeof ownKinds)[number] }
  | { as: 'payment'; payment: string }
  | { as: 'return-of'; credit: string }
  | { as: 'reversal-of'; credits: readonly string[] }
  | { as: 'repeat-of'; debit: string };
