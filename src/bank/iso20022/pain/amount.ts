import { type MinorUnits, minorUnits } from '../../../platform/money.ts';
import type { PaymentLimits, PaymentProblem } from '../../payment-problem.ts';

/** What can be paid: the fraction digits of each currency (ISO 4217), and the most that one payment may be. */
const currencies: Record<string, { decimals: 0 | 2; maxAmount: bigint }> = {
  // SEPA credit transfers are limited to 999,999,999.99 (EPC115-06).
  eur: { decimals: 2, maxAmount: 99_999_999_999n },
  // A thousand such payments stay within the 18 digits of `CtrlSum`.
  gbp: { decimals: 2, maxAmount: 99_999_999_999_999n },
  usd: { decimals: 2, maxAmount: 99_999_999_999_999n },
  isk: { decimals: 0, maxAmount: 99_999_999_999_900n },
};

/** Why an amount cannot be paid, within the limits of the operator's bank; `undefined` when it can. */
export function amountProblem(amount: MinorUnits, currency: string, limits: PaymentLimits): PaymentProblem | undefined {
  const payable = currencies[currency];
  if (payable === undefined) return { field: 'currency', code: 'AM03', text: 'cannot be paid' };
  const code = currency.toUpperCase();
  const { decimals, maxAmount: ofScheme } = payable;
  const ofBank = limits[currency as keyof PaymentLimits] ?? ofScheme;
  const maxAmount = minorUnits(ofBank < ofScheme ? ofBank : ofScheme);
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
