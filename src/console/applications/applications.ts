import { Hono } from 'hono';
import { listApplications } from '../../ledger/access/applications.ts';
import type { ConsoleEnv } from '../console-env.ts';

/** The applications that may call the API. */
export const applicationRoutes = new Hono<ConsoleEnv>().get('/', async (context) =>
  context.json({ applications: await listApplications(context.var.ledger) }, 200),
);
