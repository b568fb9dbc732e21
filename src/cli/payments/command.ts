import { type Command, Option } from 'commander';
import { rejectPayment } from '../../operations/bank/payments.ts';
import { wholeNumber } from '../option-values.ts';
import { addVerb } from '../verbs/add-verb.ts';
import type { FilesOptions, ListOptions } from './list.ts';

/** `mintrail payments`. */
export function addPaymentsCommand(program: Command): void {
  const payments = program.command('payments').description('list payments to the bank and payment files, or refuse a payout');

  payments
    .command('list', { isDefault: true })
    .description('list payments, the latest first')
    .addOption(
      new Option('--state <state...>', 'only payments in these states').choices(['ready', 'sent', 'accepted', 'refused', 'returned']),
    )
    .addOption(new Option('--kind <kind>', 'only payments of this kind').choices(['payout', 'return']))
    .option('--limit <number>', 'show at most this many', wholeNumber(1, 1_000), 20)
    .option('--json', 'print JSON')
    .action(async (options: ListOptions) => (await import('./list.ts')).listPayments(options));

  addVerb(payments, rejectPayment, {
    text: ({ paymentId, orderId }) => `The payout ${paymentId} is refused; the order ${orderId} gets its tokens back.`,
  });

  payments
    .command('files')
    .description('list payment files, the latest first')
    .option('--limit <number>', 'show at most this many', wholeNumber(1, 1_000), 20)
    .option('--json', 'print JSON')
    .action(async (options: FilesOptions) => (await import('./list.ts')).listFiles(options));
}
