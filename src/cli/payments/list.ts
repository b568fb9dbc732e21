import { listPaymentFiles, listAllPayments, type PaymentListFilter } from '../../ledger/bank/payment-queries.ts';
import { formatAmount } from '../../platform/money.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** Options of `mintrail payments list`. */
export interface ListOptions extends PaymentListFilter {
  json?: true;
}

/** Options of `mintrail payments files`. */
export interface FilesOptions {
  limit: number;
  json?: true;
}

/** `mintrail payments list`. */
export async function listPayments({ json, ...filter }: ListOptions): Promise<void> {
  const payments = await withLedger((ledger) => listAllPayments(ledger, filter));
  if (json) return print(renderJson(payments.map((payment) => Object.assign(payment, { amount: formatAmount(payment.amount) }))));
  if (payments.length === 0) return print('No payments.');
  const rows = payments.map((payment) => [
    payment.id,
    formatTime(payment.createdAt),
    payment.kind,
    payment.payee,
    payment.iban,
    `${formatAmount(payment.amount)} ${payment.currency.toUpperCase()}`,
    payment.state === 'sent' && payment.bankStatus !== null ? `sent (${payment.bankStatus})` : payment.state,
    payment.reason ?? '',
  ]);
  print(renderTable(['id', 'created', 'kind', 'payee', 'IBAN', 'amount', 'state', 'reason'], rows));
}

/** `mintrail payments files`. */
export async function listFiles({ json, limit }: FilesOptions): Promise<void> {
  const files = await withLedger((ledger) => listPaymentFiles(ledger, limit));
  if (json) return print(renderJson(files.map((file) => Object.assign(file, { sum: formatAmount(file.sum) }))));
  if (files.length === 0) return print('No payment files.');
  const rows = files.map((file) => [
    file.name,
    formatTime(file.createdAt),
    file.writtenAt === null ? 'not yet' : formatTime(file.writtenAt),
    String(file.payments),
    `${formatAmount(file.sum)} ${file.currency.toUpperCase()}`,
    String(file.accepted),
    String(file.refused),
  ]);
  print(renderTable(['file', 'created', 'written', 'payments', 'sum', 'accepted', 'refused'], rows));
}
