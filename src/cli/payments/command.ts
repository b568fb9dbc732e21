import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatAmount } from '../../platform/money.ts';
import { listPaymentFiles, listPayments, type PaymentListFilter } from './queries.ts';
import { renderJson, renderTable } from '../table.ts';
import { withLedger } from '../with-ledger.ts';

interface ListOptions extends PaymentListFilter {
  json?: true;
}

/** `mintrail payments`: the money that leaves by the bank. */
export function addPaymentsCommand(program: Command): void {
  const payments = program.command('payments').description('list payments to the bank, or the files that hold them');

  payments
    .command('list', { isDefault: true })
    .description('list payments, the latest first')
    .addOption(new Option('--state <state...>', 'only these states').choices(['ready', 'sent', 'accepted', 'refused']))
    .addOption(new Option('--kind <kind>', 'only this kind').choices(['payout', 'return']))
    .option('--limit <number>', 'at most so many', limit, 20)
    .option('--json', 'answer in JSON')
    .action(async ({ json, ...filter }: ListOptions) => {
      const found = await withLedger((ledger) => listPayments(ledger, filter));
      if (json) return console.log(renderJson(found.map((payment) => Object.assign(payment, { amount: formatAmount(payment.amount) }))));
      if (found.length === 0) return console.log('No payments.');
      const rows = found.map((payment) => [
        payment.id,
        time(payment.createdAt),
        payment.kind,
        payment.payee,
        payment.iban,
        `${formatAmount(payment.amount)} ${payment.currency.toUpperCase()}`,
        payment.state === 'sent' && payment.bankStatus !== null ? `sent (${payment.bankStatus})` : payment.state,
        payment.reason ?? '',
      ]);
      console.log(renderTable(['id', 'made', 'kind', 'payee', 'IBAN', 'amount', 'state', 'reason'], rows));
    });

  payments
    .command('reject')
    .description('refuse a payout that the bank will not carry out, as it has confirmed: the tokens are given back')
    .argument('<id>', 'id of the payment or of its order')
    .argument('<reason>', 'why, for the customer to read')
    .option('--json', 'answer in JSON')
    .action(async (id: string, reason: string, { json = false }: { json?: boolean }) =>
      (await import('./reject.ts')).rejectByHand(id, reason, json),
    );

  payments
    .command('files')
    .description('list the files of payments, the latest first')
    .option('--limit <number>', 'at most so many', limit, 20)
    .option('--json', 'answer in JSON')
    .action(async ({ json, limit: most }: { json?: true; limit: number }) => {
      const found = await withLedger((ledger) => listPaymentFiles(ledger, most));
      if (json) return console.log(renderJson(found.map((file) => Object.assign(file, { sum: formatAmount(BigInt(file.sum)) }))));
      if (found.length === 0) return console.log('No files of payments.');
      const rows = found.map((file) => [
        file.name,
        time(file.createdAt),
        file.writtenAt === null ? 'not yet' : time(file.writtenAt),
        String(file.payments),
        `${formatAmount(BigInt(file.sum))} ${file.currency.toUpperCase()}`,
        String(file.accepted),
        String(file.refused),
      ]);
      console.log(renderTable(['file', 'made', 'written', 'payments', 'sum', 'accepted', 'refused'], rows));
    });
}

function time(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

function limit(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0 && number <= 1_000) return number;
  throw new InvalidArgumentError('A number from 1 to 1000.');
}
