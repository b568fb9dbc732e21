import { Hono } from 'hono';
import { z } from 'zod';
import { recordAct } from '../../ledger/access/audit-log.ts';
import { listAllPayments, listPaymentFiles, type PaymentFileView, readPaymentFile } from '../../ledger/bank/payment-queries.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount } from '../../platform/money.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { answerDownload } from '../http/download.ts';
import { validated } from '../http/validated.ts';
import { requireRole } from '../sign-in/require-session.ts';
import { mostListed } from './wire.ts';

const states = ['ready', 'sent', 'accepted', 'refused', 'returned'] as const;
const limit = z.coerce.number().int().min(1).max(mostListed).default(50);
const messageId = z.string().regex(/^[0-9a-f]{32}$/);

const filter = validated(
  'query',
  z.object({ state: z.enum(states).optional(), kind: z.enum(['payout', 'return']).optional(), after: z.uuid().optional(), limit }),
);

/** Payments to the bank, and the pain.001 files that carry them. */
export const paymentRoutes = new Hono<ConsoleEnv>()
  .get('/payments', filter, async (context) => {
    const { state, kind, after, limit: most } = context.req.valid('query');
    const payments = await listAllPayments(context.var.ledger, {
      ...(state !== undefined && { state: [state] }),
      ...(kind !== undefined && { kind }),
      after,
      limit: most + 1,
    });
    const shown = payments.slice(0, most).map(renderPayment);
    return context.json({ payments: shown, next: payments.length > most ? shown.at(-1)?.id : undefined }, 200);
  })
  .get('/payment-files', validated('query', z.object({ after: messageId.optional(), limit })), async (context) => {
    const { after, limit: most } = context.req.valid('query');
    const files = await listPaymentFiles(context.var.ledger, most + 1, after);
    const shown = files.slice(0, most).map(renderFile);
    return context.json({ files: shown, next: files.length > most ? shown.at(-1)?.messageId : undefined }, 200);
  })
  .get(
    '/payment-files/:messageId/content',
    requireRole('treasurer', 'administrator'),
    validated('param', z.object({ messageId })),
    async (context) => {
      const { ledger, operator, correlationId } = context.var;
      const file = await readPaymentFile(ledger, context.req.valid('param').messageId);
      if (file === undefined) throw new StopError({ code: 'not_found', message: 'There is no such payment file' });
      await recordAct(ledger, {
        actor: { kind: 'operator', id: operator.name, correlationId },
        action: 'payment-file.download',
        subjectKind: 'file',
        subject: file.name,
        detail: {},
      });
      return answerDownload(context, { name: file.name, type: 'application/xml', content: file.content });
    },
  );

function renderPayment({ amount, ...payment }: Awaited<ReturnType<typeof listAllPayments>>[number]) {
  return { ...payment, amount: formatAmount(amount) };
}

function renderFile({ payments, accepted, refused, sum, ...file }: PaymentFileView) {
  return { ...file, payments: Number(payments), accepted: Number(accepted), refused: Number(refused), sum: formatAmount(sum) };
}
