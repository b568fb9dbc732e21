import type { OpenRecall } from '../../ledger/bank/recalls/recalls.ts';
import { formatAmount, type MinorUnits } from '../../platform/money.ts';

/** A recall as the command line and the console show it, in plain JSON. */
export function recallBody({ recall, credits, ...open }: OpenRecall) {
  return {
    ...open,
    ...recall,
    amount: amountOrNull(recall.amount),
    currency: recall.currency ?? null,
    credits: credits.map(({ reference, state, orderId, amount, currency, bookedOn, iban, payer, isNamed, problem = null }) => ({
      reference,
      state,
      orderId,
      amount: amountOrNull(amount),
      currency,
      bookedOn,
      iban,
      payer,
      isNamed,
      problem,
    })),
  };
}

function amountOrNull(amount: MinorUnits | null | undefined): string | null {
  return amount === null || amount === undefined ? null : formatAmount(amount);
}
