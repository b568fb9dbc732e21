import { Hono } from 'hono';
import { openGaps } from '../../ledger/bank/statements/statement-queries.ts';
import { type WaitingKind, waitingMoney } from '../../ledger/bank/waiting-money.ts';
import { unmatchedCredits } from '../../operations/bank/credit-view.ts';
import { recalls } from '../../operations/bank/recall-view.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { viewRoute } from '../http/view-route.ts';
import { closingRoutes } from './closing.ts';
import { debitRoutes } from './debits.ts';
import { fileRoutes } from './files.ts';
import { paymentRoutes } from './payments.ts';

/** Gaps between statements that are counted: more need no exact number. */
const mostGaps = 100;

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
  .route('/closing', closingRoutes)
  .route('/', debitRoutes)
  .route('/', paymentRoutes);
