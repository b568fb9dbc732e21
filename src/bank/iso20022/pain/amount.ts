import { type MinorUnits, minorUnits } from '../../../platform/money.ts';
/** What can be paid in a currency. */
interface PayableCurrency {
  /** ISO 4217, as messages write it. */
  code: string;
  /** Fraction digits (ISO 4217). */
  decimals: 0 | 2;
  /** The most that one payment may be. */
  maxAmount: MinorUnits;
}

const currencies: Record<string, PayableCurrency> = {
  // SEPA credit transfers are limited to 999,999,999.99 (EPC115-06).
  eur: { code: 'EUR', decimals: 2, maxAmount: minorUnits(99_999_999_999n) },
  // A thousand such payments stay within the 18 digits of `CtrlSum`.
  gbp: { code: 'GBP', decimals: 2, maxAmount: minorUnits(99_999_999_999_999n) },
  usd: { code: 'USD', decimals: 2, maxAmount: minorUnits(99_999_999_999_999n) },
  isk: { code: 'ISK', decimals: 0, maxAmount: minorUnits(99_999_999_999_900n) },
};

/** The ISO 4217 code of a currency, as messages write it; `undefined` for one that cannot be paid. */
export function currencyCode(currency: string): string | undefined {
  return currencies[currency]?.code;
}

/** Why an amount cannot be paid, with its status reason code; `undefined` when it can. */
export function amountProblem(amount: MinorUnits, currency: string): string | undefined {
  const payable = currencies[currency];
  if (payable === undefined) return `AM03 not allowed currency: ${currency.toUpperCase()} cannot be paid`;
  const { code, decimals, maxAmount } = payable;
  if (amount <= 0n) return 'AM01 zero amount';
  if (amount > maxAmount) return `AM02 not allowed amount: a payment is at most ${amountText(maxAmount, currency)} ${code}`;
  if (decimals === 0 && amount % 100n !== 0n) return `AM12 invalid amount: ${code} has no decimals`;
  return undefined;
}

/** An amount as messages write it: with the fraction digits of its currency. */
export function amountText(amount: MinorUnits, currency: string): string {
  const units = (amount / 100n).toString();
  return currencies[currency]?.decimals === 0 ? units : `${units}.${(amount % 100n).toString().padStart(2, '0')}`;
}
