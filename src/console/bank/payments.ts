import { Hono } from 'hono';
import { z } from 'zod';
import { recordAct } from '../../ledger/access/audit-log.ts';
import { readPaymentFile } from '../../ledger/bank/payment-queries.ts';
import { paymentFiles, payments } from '../../operations/bank/payment-views.ts';
import { StopError } from '../../platform/errors.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { answerDownload } from '../http/download.ts';
import { validated } from '../http/validated.ts';
import { viewRoute } from '../http/view-route.ts';
import { requireRole } from '../sign-in/require-session.ts';

/** Payments to the bank, and the pain.001 files that carry them. */
export const paymentRoutes = new Hono<ConsoleEnv>()
  .route('/payments', viewRoute(payments))
  .route('/payment-files', viewRoute(paymentFiles))
  .get(
    '/payment-files/:messageId/content',
    requireRole('treasurer', 'administrator'),
    validated('param', z.object({ messageId: z.string().regex(/^[0-9a-f]{32}$/) })),
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
