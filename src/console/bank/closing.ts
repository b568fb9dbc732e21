import { Hono } from 'hono';
import { z } from 'zod';
import { readClosing, readClosingCsv } from '../../operations/bank/closing.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { answerDownload } from '../http/download.ts';
import { validated } from '../http/validated.ts';

const dated = validated('param', z.object({ day: z.iso.date() }));

/** The closing of a day, as `mintrail book day` has it. */
export const closingRoutes = new Hono<ConsoleEnv>()
  .get('/:day', dated, async (context) => context.json(await readClosing(context.var.ledger, context.req.valid('param').day), 200))
  .get('/:day/csv', dated, async (context) => {
    const { day } = context.req.valid('param');
    const content = await readClosingCsv(context.var.ledger, day);
    return answerDownload(context, { name: `closing-${day}.csv`, type: 'text/csv; charset=utf-8', content });
  });
