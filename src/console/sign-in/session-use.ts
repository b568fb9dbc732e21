import { Hono } from 'hono';
import type { ConsoleEnv } from '../console-env.ts';

/** `POST /api/session/use`: a person is at the page. Like every request that does more than read, it counts as use of the session. */
export const sessionUse = new Hono<ConsoleEnv>().post('/use', (context) => context.json({}, 200));
