import { Hono } from 'hono';
import { describeSettings } from '../../platform/settings/describe-settings.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { requireRole } from '../http/require-session.ts';

/** What is set for this process, by variable; secrets only as being set. */
export const settingsRoutes = new Hono<ConsoleEnv>().get('/', requireRole('administrator'), (context) =>
  context.json({ environment: context.var.settings.environment, settings: describeSettings(process.env) }, 200),
);
