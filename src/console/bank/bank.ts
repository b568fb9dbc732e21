import { Hono } from 'hono';
import { overdueCredits } from '../../ledger/bank/awaited-credits.ts';
import { openClaims } from '../../ledger/bank/claims/claims.ts';
import { unexplainedDebits } from '../../ledger/bank/debits/unexplained-debits.ts';
import { countOpenRecalls } from '../../ledger/bank/recalls/recalls.ts';
import { openGaps } from '../../ledger/bank/statements/statement-queries.ts';
import { countUnmatchedCredits } from '../../ledger/bank/unmatched/unmatched-credits.ts';
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
    const [unmatched, debits, claims, gaps, awaited, openRecalls] = await Promise.all([
      countUnmatchedCredits(ledger),
      unexplainedDebits(ledger),
      openClaims(ledger),
      openGaps(ledger, mostGaps),
      overdueCredits(ledger),
      countOpenRecalls(ledger),
    ]);
    const counts = {
      debits: sumOf(debits),
      claims: sumOf(claims),
      statements: gaps.length + sumOf(awaited),
      recalls: openRecalls?.count ?? 0,
    };
    return context.json({ unmatched: unmatched?.count ?? 0, ...counts }, 200);
  })
  .route('/files', fileRoutes)
  .route('/unmatched', viewRoute(unmatchedCredits))
  .route('/recalls', viewRoute(recalls))
  .route('/closing', closingRoutes)
  .route('/', debitRoutes)
  .route('/', paymentRoutes);

function sumOf(rows: readonly { count: number }[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}
