import { Hono } from 'hono';
import { endOperatorSession, endOperatorSessions } from '../../ledger/operators/sessions.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { forgetSessionSecret, readSessionSecret } from './session-cookie.ts';

/** How operators sign out: here, or everywhere. */
export const signOut = new Hono<ConsoleEnv>()
  .post('/', async (context) => {
    await endOperatorSession(context.var.ledger, readSessionSecret(context) ?? '');
    forgetSessionSecret(context);
    return context.json({}, 200);
  })
  .post('/everywhere', async (context) => {
    const { ledger, operator } = context.var;
    const ended = await endOperatorSessions(ledger, operator.name);
    forgetSessionSecret(context);
    return context.json({ ended }, 200);
  });
