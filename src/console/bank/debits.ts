import { Hono } from 'hono';
import { z } from 'zod';
import { overdueCredits } from '../../ledger/bank/awaited-credits.ts';
import { listClaims } from '../../ledger/bank/claims/claims.ts';
import { listUnexplainedDebits } from '../../ledger/bank/debits/unexplained-debits.ts';
import { listStatements, type StatementView } from '../../ledger/bank/statements/statement-queries.ts';
import { formatAmount } from '../../platform/money.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { amountOrNull } from '../../operations/bank/money-text.ts';
import { mostListed } from './wire.ts';

const limited = validated('query', z.object({ limit: z.coerce.number().int().min(1).max(mostListed).default(100) }));

/** Debits that are none of our payments, credits that the bank took back, and the statements with the gaps between them and the credits that they lack. */
export const debitRoutes = new Hono<ConsoleEnv>()
  .get('/debits', limited, async (context) => {
    const { limit } = context.req.valid('query');
    const debits = await listUnexplainedDebits(context.var.ledger, limit + 1);
    return context.json({ debits: debits.slice(0, limit).map(renderDebit), hasMore: debits.length > limit }, 200);
  })
  .get('/claims', limited, async (context) => {
    const { limit } = context.req.valid('query');
    const claims = await listClaims(context.var.ledger, limit + 1);
    return context.json({ claims: claims.slice(0, limit).map(renderClaim), hasMore: claims.length > limit }, 200);
  })
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

function renderDebit({ amount, ...debit }: Awaited<ReturnType<typeof listUnexplainedDebits>>[number]) {
  return { ...debit, amount: amountOrNull(amount) };
}

function renderClaim({ reversal, amount, recovered, ...claim }: Awaited<ReturnType<typeof listClaims>>[number]) {
  return { ...claim, claim: reversal, amount: formatAmount(amount), recovered: formatAmount(recovered) };
}
