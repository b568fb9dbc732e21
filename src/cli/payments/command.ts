import type { Command } from 'commander';
import { paymentFiles, payments as paymentsView } from '../../operations/bank/payment-views.ts';
import { rejectPayment } from '../../operations/bank/payments.ts';
import { addVerb } from '../verbs/add-verb.ts';
import { addView } from '../views/add-view.ts';

/** `mintrail payments`. */
export function addPaymentsCommand(program: Command): void {
  const payments = program.command('payments').description('list payments to the bank and payment files, or refuse a payout');

  addView(payments, paymentsView, { isDefault: true });
  addVerb(payments, rejectPayment, {
    text: ({ paymentId, orderId }) => `The payout ${paymentId} is refused; the order ${orderId} gets its tokens back.`,
  });
  addView(payments, paymentFiles);
}
