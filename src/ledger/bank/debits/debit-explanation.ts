/** Kinds of money of the operator's own that leaves: what the bank charges, interest, and whatever else the operator did. */
export const ownKinds = ['fee', 'interest', 'own'] as const;

/** What a debit was: the operator's own money, a payment of ours by its id, or the return of a credit by its reference. */
export type Explanation = { as: (typeof ownKinds)[number] } | { as: 'payment'; payment: string } | { as: 'return-of'; credit: string };
