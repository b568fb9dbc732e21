import { type MinorUnits, minorUnits } from '../../../platform/money.ts';
import type { PaymentLimits, PaymentProblem } from '../../payment-problem.ts';
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

/** Why an amount cannot be paid, within the limits of the operator's bank; `undefined` when it can. */
export function amountProblem(amount: MinorUnits, currency: string, limits: PaymentLimits): PaymentProblem | undefined {
  const payable = currencies[currency];
  if (payable === undefined) return { field: 'currency', code: 'AM03', text: 'cannot be paid' };
  const { code, decimals } = payable;
  const limit = limits[currency as keyof PaymentLimits];
  const maxAmount = limit !== undefined && limit < payable.maxAmount ? limit : payable.maxAmount;
  const field = 'amount';
  if (amount <= 0n) return { field, code: 'AM01', text: 'must be greater than zero' };
  if (amount > maxAmount) return { field, code: 'AM02', text: `must be at most ${amountText(maxAmount, currency)} ${code} in a payment` };
  if (decimals === 0 && amount % 100n !== 0n) return { field, code: 'AM12', text: `must be whole in a payment: ${code} has no decimals` };
  return undefined;
}

/** An amount as messages write it: with the fraction digits of its currency. */
export function amountText(amount: MinorUnits, currency: string): string {
  const units = (amount / 100n).toString();
  return currencies[currency]?.decimals === 0 ? units : `${units}.${(amount % 100n).toString().padStart(2, '0')}`;
}
