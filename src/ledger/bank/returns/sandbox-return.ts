import type { Actor } from '../../../platform/acting.ts';
import { StopError } from '../../../platform/errors.ts';
import { inTransaction, type Ledger } from '../../ledger.ts';
import { endToEndIdOf } from '../../end-to-end-id.ts';
import { recordCredits } from '../credits.ts';
import type { NewCredit, RecordOptions } from '../match-credits.ts';
import { findPayout, requirePayout } from '../payments.ts';
import { matchReturnedPayments } from './returned-payments.ts';

/**
 * The simulated bank returns a payout that it has carried out, with a credit as a bank's statement has it. `id` is the payout's or its order's.
 * Returns its order, and the order that gives the tokens back, null while the money waits for an operator. Throws `unknown_payout`,
 * `payout_not_booked` and `payout_decided`.
 */
export async function returnSandboxPayout(
  ledger: Ledger,
  id: string,
  { reason, reportedBy, ...options }: RecordOptions & { reason: string; reportedBy: Actor | null },
) {
  return inTransaction(ledger, async (tx) => {
    const payout = await requirePayout(tx, id);
    if (payout.state === 'ready' || payout.state === 'sent')
      throw new StopError({
        code: 'payout_not_booked',
        message: `The payout ${payout.id} is ${payout.state}: the bank has not carried it out`,
      });
    if (payout.state !== 'accepted')
      throw new StopError({ code: 'payout_decided', message: `The payout ${payout.id} is ${payout.state} already` });
    const credit = { ...creditOf(payout, reason), reportedBy };
    const [recorded] = await matchReturnedPayments(tx, [credit], await recordCredits(tx, [credit], options));
    return { paymentId: payout.id, orderId: payout.orderId, givenBackBy: recorded?.orderId ?? null };
  });
}

/** What {@link returnSandboxPayout} did with a payout before. */
export async function readReturnedPayout(ledger: Ledger, id: string): Promise<Awaited<ReturnType<typeof returnSandboxPayout>> | undefined> {
  const payout = await findPayout(ledger, id);
  if (payout === undefined) return undefined;
  const credit = await ledger.selectFrom('credits').where('reference', '=', referenceOf(payout.id)).select('orderId').executeTakeFirst();
  return { paymentId: payout.id, orderId: payout.orderId, givenBackBy: credit?.orderId ?? null };
}

function creditOf(
  { id, amount, currency, payee, iban, bankAccount }: Awaited<ReturnType<typeof requirePayout>>,
  reason: string,
): NewCredit {
  return {
    reference: referenceOf(id),
    bankAccount: bankAccount ?? 'sandbox',
    amount,
    currency,
    payer: { name: payee, iban },
    endToEndId: endToEndIdOf(id),
    bookedOn: new Date().toISOString().slice(0, 10),
    railReason: 'payment_returned',
    unmatched: `a payment of ours came back: ${reason}`,
    facts: { returned: { description: reason, originalEndToEndId: endToEndIdOf(id) } },
  };
}

/** A payment comes back once. */
function referenceOf(payment: string): string {
  return `return-of-${payment}`;
}
