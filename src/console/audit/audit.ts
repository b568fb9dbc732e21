import { Hono } from 'hono';
import { z } from 'zod';
import { listAudit } from '../../ledger/access/audit-log.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';

const filter = z.object({
  actor: z.string().max(128).optional(),
  subject: z.string().max(256).optional(),
  action: z.string().max(64).optional(),
  since: z.coerce.date().optional(),
  /** Id of the last entry of the page before. */
  after: z.uuid().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

/** Who did what, the latest first, as `mintrail audit` lists it. */
export const auditRoutes = new Hono<ConsoleEnv>().get('/', validated('query', filter), async (context) => {
  const { limit, ...rest } = context.req.valid('query');
  const entries = await listAudit(context.var.ledger, { ...rest, limit: limit + 1 });
  const page = entries.slice(0, limit);
  return context.json({ entries: page, next: entries.length > limit ? page.at(-1)?.id : undefined }, 200);
});
