/** The states of payments, as filters name them. */
export const paymentStates = ['ready', 'sent', 'accepted', 'refused', 'returned'] as const;
/** The kinds of payments. */
export const paymentKinds = ['payout', 'return'] as const;

/** Which payments are listed. */
export interface PaymentSearch {
  state?: (typeof paymentStates)[number];
  kind?: (typeof paymentKinds)[number];
}

/** Reads the filters of the payments from the address. */
export function paymentSearch(search: Record<string, unknown>): PaymentSearch {
  const state = paymentStates.find((value) => value === search['state']);
  const kind = paymentKinds.find((value) => value === search['kind']);
  return { ...(state && { state }), ...(kind && { kind }) };
}

/** Reads the reference of the only unmatched credit to show from the address. */
export function unmatchedSearch(search: Record<string, unknown>): { credit?: string } {
  const credit = search['credit'];
  return typeof credit === 'string' && credit !== '' ? { credit } : {};
}

/** Reads the day of a closing, `YYYY-MM-DD`, from the address. */
export function closingSearch(search: Record<string, unknown>): { day?: string } {
  const day = search['day'];
  return typeof day === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(day) ? { day } : {};
}
