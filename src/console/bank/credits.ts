import { Hono } from 'hono';
import { z } from 'zod';
import { listUnmatchedCredits } from '../../ledger/bank/unmatched/unmatched-credits.ts';
import { creditRemedies } from '../../ledger/bank/unmatched/unmatched-remedies.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { amountOrNull } from '../../operations/bank/money-text.ts';
import { mostListed } from './wire.ts';

const page = validated(
  'query',
  z.object({
    after: z.string().max(500).optional(),
    /** The reference of the only credit that is listed. */
    only: z.string().max(500).optional(),
    limit: z.coerce.number().int().min(1).max(mostListed).default(50),
  }),
);

/** Credits that became no order, the oldest first, each with what an operator can do with it. */
export const creditRoutes = new Hono<ConsoleEnv>().get('/', page, async (context) => {
  const { after, only, limit } = context.req.valid('query');
  const credits = await listUnmatchedCredits(context.var.ledger, limit + 1, { after, only });
  const shown = credits.slice(0, limit).map(render);
  return context.json({ credits: shown, next: credits.length > limit ? shown.at(-1)?.reference : undefined }, 200);
});

type Listed = Awaited<ReturnType<typeof listUnmatchedCredits>>[number];

function render({ amount, facts, repeats, ...credit }: Listed) {
  return {
    ...credit,
    amount: amountOrNull(amount),
    /** What the bank wrote where that is no amount. */
    amountText: (facts as { amountText?: string } | null)?.amountText ?? null,
    remedies: creditRemedies(credit.railReason),
    repeats: repeats && { ...repeats, amount: amountOrNull(repeats.amount) },
  };
}
