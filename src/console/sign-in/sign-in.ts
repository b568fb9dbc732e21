import { Hono } from 'hono';
import { z } from 'zod';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { signInByLink } from './sandbox-link.ts';

/** How operators sign in. */
export const signIn = new Hono<ConsoleEnv>().post('/link', validated('json', z.object({ secret: z.string() })), async (context) => {
  await signInByLink(context, context.req.valid('json').secret);
  return context.json({ state: 'signed-in' as const }, 200);
});
