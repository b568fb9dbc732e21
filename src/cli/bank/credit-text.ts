import type { Party } from '../../bank/credit.ts';
import { formatAmount, type MinorUnits } from '../../platform/money.ts';

/** The amount, or the bank's own text where that is not an amount. */
export function amountText({ amount, facts }: { amount: MinorUnits | null; facts: unknown }): string {
  return amount === null ? ((facts as { amountText?: string } | null)?.amountText ?? '') : formatAmount(amount);
}

/** Who paid, as far as the bank names somebody. */
export function payerText({ name, iban, accountNumber }: Party): string {
  return name ?? iban ?? accountNumber ?? '';
}

/** A credit with its amount as decimal text, as commands print JSON. */
export function withAmountText<Credit extends { amount: MinorUnits | null }>(credit: Credit) {
  return { ...credit, amount: credit.amount === null ? null : formatAmount(credit.amount) };
}
