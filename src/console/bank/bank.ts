import { Hono } from 'hono';
import { z } from 'zod';
import { recordAct } from '../../ledger/access/audit-log.ts';
import { readPaymentFile } from '../../ledger/bank/payment-queries.ts';
import { openGaps } from '../../ledger/bank/statements/statement-queries.ts';
import { type WaitingKind, waitingMoney } from '../../ledger/bank/waiting-money.ts';
import { readClosing, readClosingCsv } from '../../operations/bank/closing.ts';
import { unmatchedCredits } from '../../operations/bank/credit-view.ts';
import { claims, debits } from '../../operations/bank/debit-views.ts';
import { paymentFiles, payments } from '../../operations/bank/payment-views.ts';
import { recalls } from '../../operations/bank/recall-view.ts';
import { statements } from '../../operations/bank/statement-view.ts';
import { StopError } from '../../platform/errors.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { answerDownload } from '../http/download.ts';
import { validated } from '../http/validated.ts';
import { viewRoute } from '../http/view-route.ts';
import { requireRole } from '../http/require-session.ts';
import { fileRoutes } from './files.ts';

/** Gaps between statements that are counted: more need no exact number. */
const mostGaps = 100;

const dated = validated('param', z.object({ day: z.iso.date() }));

/** What the bank reports, what it is told to pay, and what of it waits for an operator. */
export const bankRoutes = new Hono<ConsoleEnv>()
  .get('/waiting', async (context) => {
    const { ledger } = context.var;
    const [waiting, gaps] = await Promise.all([waitingMoney(ledger), openGaps(ledger, mostGaps)]);
    const count = (kind: WaitingKind) => waiting.reduce((sum, money) => sum + (money.kind === kind ? money.count : 0), 0);
    const counts = { unmatched: count('credit'), debits: count('debit'), claims: count('claim'), recalls: count('recall') };
    return context.json({ ...counts, statements: gaps.length + count('awaited') }, 200);
  })
  .route('/files', fileRoutes)
  .route('/unmatched', viewRoute(unmatchedCredits))
  .route('/recalls', viewRoute(recalls))
  .route('/debits', viewRoute(debits))
  .route('/claims', viewRoute(claims))
  .route('/statements', viewRoute(statements))
  .get('/awaited', async (context) => {
    const waiting = (await waitingMoney(context.var.ledger)).filter(({ kind }) => kind === 'awaited');
    return context.json({ awaited: waiting.map(({ account, count, since, oldest }) => ({ account, count, since, oldest })) }, 200);
  })
  .get('/closing/:day', dated, async (context) => context.json(await readClosing(context.var.ledger, context.req.valid('param').day), 200))
  .get('/closing/:day/csv', dated, async (context) => {
    const { day } = context.req.valid('param');
    const content = await readClosingCsv(context.var.ledger, day);
    return answerDownload(context, { name: `closing-${day}.csv`, type: 'text/csv; charset=utf-8', content });
  })
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
