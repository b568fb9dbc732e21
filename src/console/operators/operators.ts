import { Hono } from 'hono';
import { listOperators } from '../../ledger/operators/operators.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { requireRole } from '../sign-in/require-session.ts';

/** Who may sign in to the console. */
export const operatorRoutes = new Hono<ConsoleEnv>().get('/', requireRole('administrator'), async (context) =>
  context.json({ operators: await listOperators(context.var.ledger) }, 200),
);
