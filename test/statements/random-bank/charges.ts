import type { EntrySpec, messages, TransactionSpec } from '../../bank/iso20022/camt/statement-xml.ts';
import type { Random } from '../../simulation/random.ts';

export type Kind = (typeof messages)[number];

/** How a bank says what it keeps of payments. */
export interface ChargeStyle {
  /** The kind of message that has amounts after charges, and names those: the other has them before charges. */
  chargesIn: Kind | undefined;
  /** How it names them: as charges, of which the transaction has the amount before or after, or by the instructed amount. */
  chargesAs: 'before' | 'after' | 'instructed';
}

/** What a payer sent, and what the bank keeps of it, in cents. */
export interface Charged {
  cents: number;
  charge: number;
}

/** Payments in one entry, and what the bank keeps of the entry, in cents, besides what it keeps of them. */
interface ChargedEntry {
  payments: readonly Charged[];
  charge: number;
}

/** What a bank keeps each time, in cents: honest payments come to as much as others after it. */
export const chargeCents = 50;

/** A bank that keeps nothing. */
export const noCharges: ChargeStyle = { chargesIn: undefined, chargesAs: 'before' };

/** Draws how a bank says what it keeps: half of them keep nothing. */
export function drawChargeStyle(random: Random): ChargeStyle {
  return {
    chargesIn: random.pick('charges', [undefined, undefined, 'camt.053', 'camt.054'] as const),
    chargesAs: random.pick('charges as', ['before', 'after', 'instructed'] as const),
  };
}

/** Draws one of these amounts, or what the least comes to after charges, and what the bank keeps of it. */
export function drawCents(random: Random, amounts: readonly [number, ...number[]], { chargesIn }: ChargeStyle): Charged {
  if (chargesIn === undefined) return { cents: random.pick('cents', amounts), charge: 0 };
  const least = Math.min(...amounts);
  const cents = random.pick('cents', amounts.toSpliced(-1, 0, least - chargeCents));
  return { cents, charge: cents >= least && random.chance('charge', 0.5) ? chargeCents : 0 };
}

/** Draws whether the bank keeps something of an entry of several payments as a whole, and then nothing of each. */
export function drawChargeOfEntry<Payment extends Charged>(
  random: Random,
  payments: Payment[],
  { chargesIn }: ChargeStyle,
): { payments: Payment[]; charge: number } {
  if (chargesIn === undefined || payments.length === 1 || !random.chance('charge of the entry', 0.5)) return { payments, charge: 0 };
  return { payments: payments.map((payment) => ({ ...payment, charge: 0 })), charge: chargeCents };
}

/** What the bank keeps of an entry, in cents. */
export function chargeOf({ payments, charge }: ChargedEntry): number {
  return payments.reduce((sum, payment) => sum + payment.charge, charge);
}

/** What statements list of an entry, in cents. */
export function bookedCents(entry: ChargedEntry, { chargesIn }: ChargeStyle): number {
  return sentCents(entry) - (chargesIn === 'camt.053' ? chargeOf(entry) : 0);
}

/** What a kind of message says of the amount of an entry, and of its charges; of a sum it names all of them. */
export function entryAmounts(
  entry: ChargedEntry,
  { kind, style, isSum }: { kind: Kind; style: ChargeStyle; isSum: boolean },
): Pick<EntrySpec, 'amount' | 'charges'> {
  const isNet = kind === style.chargesIn;
  const named = isSum ? chargeOf(entry) : entry.charge;
  return {
    amount: decimal(sentCents(entry) - (isNet ? chargeOf(entry) : 0)),
    ...(isNet && named > 0 && { charges: decimal(named) }),
  };
}

/** What a kind of message says of the amount of a transaction, and of its charges. */
export function transactionAmounts(
  { cents, charge }: Charged,
  { kind, style }: { kind: Kind; style: ChargeStyle },
): Pick<TransactionSpec, 'amount' | 'charges' | 'instructed'> {
  if (kind !== style.chargesIn || charge === 0) return { amount: decimal(cents) };
  const amount = decimal(style.chargesAs === 'before' ? cents : cents - charge);
  return { amount, ...(style.chargesAs === 'instructed' ? { instructed: decimal(cents) } : { charges: decimal(charge) }) };
}

/** Whether this, in cents, is less than any payment: what a statement lists before charges of one, or of those of a sum, that was issued after them. */
export function isRest(cents: bigint | null): boolean {
  return cents !== null && cents < 10n * BigInt(chargeCents);
}

/** An amount before charges, in cents, of one before or after them: customers get the one or the other. */
export function beforeCharges(cents: number): number {
  return cents % (2 * chargeCents) === 0 ? cents : cents + chargeCents;
}

function sentCents({ payments }: ChargedEntry): number {
  return payments.reduce((sum, { cents }) => sum + cents, 0);
}

function decimal(cents: number): string {
  return (cents / 100).toFixed(2);
}
