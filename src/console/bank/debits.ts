import { Hono } from 'hono';
import { z } from 'zod';
import { overdueCredits } from '../../ledger/bank/awaited-credits.ts';
import { listStatements, type StatementView } from '../../ledger/bank/statements/statement-queries.ts';
import { formatAmount } from '../../platform/money.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { viewRoute } from '../http/view-route.ts';
import { claims, debits } from '../../operations/bank/debit-views.ts';
import { amountOrNull } from '../../operations/bank/money-text.ts';
import { mostListed } from './wire.ts';

const limited = validated('query', z.object({ limit: z.coerce.number().int().min(1).max(mostListed).default(100) }));

/** Debits that are none of our payments, credits that the bank took back, and the statements with the gaps between them and the credits that they lack. */
export const debitRoutes = new Hono<ConsoleEnv>()
  .route('/debits', viewRoute(debits))
  .route('/claims', viewRoute(claims))
  .get('/statements', limited, async (context) => {
    const { ledger } = context.var;
    const [statements, awaited] = await Promise.all([listStatements(ledger, context.req.valid('query')), overdueCredits(ledger)]);
    return context.json({ statements: statements.map(renderStatement), awaited }, 200);
  });

function renderStatement({ sequence, opening, closing, booked, difference, ...statement }: StatementView) {
  return {
    ...statement,
    sequence: sequence === null ? null : String(sequence),
    opening: amountOrNull(opening),
    closing: amountOrNull(closing),
    booked: formatAmount(booked),
    difference: amountOrNull(difference),
  };
}
