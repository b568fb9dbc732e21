/** What the owner of an address signs to link it to a profile (wire facts, Amounts and messages). */
export const linkMessage = 'I hereby declare that I am the address owner.';

export interface Payment {
  currency: string;
  /** As in the order, such as `10.50`. */
  amount: string;
  to: { iban: string } | { address: string; chain: string };
  /** When it is signed; now by default. */
  at?: Date;
}

/** What the owner of an address signs to authorise one order: a payment to a bank account, or to an address on a chain. */
export function paymentMessage({ currency, amount, to, at = new Date() }: Payment): string {
  const destination = 'iban' in to ? to.iban : `${to.address} on ${to.chain}`;
  return `Send ${currency.toUpperCase()} ${amount} to ${destination} at ${at.toISOString()}`;
}
