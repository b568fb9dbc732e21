import { Hono } from 'hono';
import { z } from 'zod';
import { listRecalls } from '../../ledger/bank/recalls/recalls.ts';
import { recallBody } from '../../statements/recalls/recall-body.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { mostListed } from './wire.ts';

const limited = validated('query', z.object({ limit: z.coerce.number().int().min(1).max(mostListed).default(100) }));

/** Payments whose return banks ask for. */
export const recallRoutes = new Hono<ConsoleEnv>().get('/', limited, async (context) => {
  const { limit } = context.req.valid('query');
  const recalls = await listRecalls(context.var.ledger, limit + 1);
  return context.json({ recalls: recalls.slice(0, limit).map(recallBody), hasMore: recalls.length > limit }, 200);
});
