import { z } from 'zod';
import { listAllPayments, listPaymentFiles, type PaymentFileView } from '../../ledger/bank/payment-queries.ts';
import { operatorRoles } from '../../ledger/operators/operators.ts';
import { formatAmount } from '../../platform/money.ts';
import { anyOf, defineView } from '../view.ts';

/** Payments to the bank. */
export const payments = defineView({
  name: 'bank.payments',
  summary: 'list payments, the latest first',
  command: 'payments list',
  roles: operatorRoles,
  input: z.object({
    state: anyOf(['ready', 'sent', 'accepted', 'refused', 'returned']).describe('only payments in these states').optional(),
    kind: z.enum(['payout', 'return']).optional().meta({ description: 'only payments of this kind', flags: '--kind <kind>' }),
    after: z.uuid().describe('only those that follow this one').optional(),
  }),
  limit: { usual: 20, most: 1_000 },
  async read(ledger, filter) {
    const listed = await listAllPayments(ledger, filter);
    return listed.map(paymentRow);
  },
  keyOf: ({ id }) => id,
  columns: {
    id: ({ id }) => id,
    created: ({ createdAt }) => createdAt,
    kind: ({ kind }) => kind,
    payee: ({ payee }) => payee,
    IBAN: ({ iban }) => iban,
    amount: ({ amount, currency }) => `${amount} ${currency.toUpperCase()}`,
    state: ({ state, bankStatus }) => (state === 'sent' && bankStatus !== null ? `sent (${bankStatus})` : state),
    reason: ({ reason }) => reason,
  },
  empty: 'No payments.',
});

/** The pain.001 files that carry the payments. */
export const paymentFiles = defineView({
  name: 'bank.payment-files',
  summary: 'list payment files, the latest first',
  command: 'payments files',
  roles: operatorRoles,
  input: z.object({
    after: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .describe('only those that follow the file with this message id')
      .optional(),
  }),
  limit: { usual: 20, most: 1_000 },
  async read(ledger, { after, limit }) {
    const files = await listPaymentFiles(ledger, limit, after);
    return files.map(fileRow);
  },
  keyOf: ({ messageId }) => messageId,
  columns: {
    file: ({ name }) => name,
    created: ({ createdAt }) => createdAt,
    written: ({ writtenAt }) => writtenAt ?? 'not yet',
    payments: ({ payments: count }) => count,
    sum: ({ sum, currency }) => `${sum} ${currency.toUpperCase()}`,
    accepted: ({ accepted }) => accepted,
    refused: ({ refused }) => refused,
  },
  empty: 'No payment files.',
});

function paymentRow(payment: Awaited<ReturnType<typeof listAllPayments>>[number]) {
  return { ...payment, amount: formatAmount(payment.amount) };
}

function fileRow({ payments: count, sum, accepted, refused, ...file }: PaymentFileView) {
  return { ...file, payments: String(count), sum: formatAmount(sum), accepted: String(accepted), refused: String(refused) };
}
