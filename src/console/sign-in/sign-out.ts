import { Hono } from 'hono';
import { endSession, endSessionsOf } from '../../ledger/access/sessions.ts';
import { operatorSubject } from '../../ledger/access/subject.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { forgetSessionSecret, readSessionSecret } from '../http/session-cookie.ts';

/** How operators sign out: here, or everywhere. */
export const signOut = new Hono<ConsoleEnv>()
  .post('/', async (context) => {
    await endSession(context.var.ledger, readSessionSecret(context) ?? '');
    forgetSessionSecret(context);
    return context.json({}, 200);
  })
  .post('/everywhere', async (context) => {
    const { ledger, operator } = context.var;
    const ended = await endSessionsOf(ledger, operatorSubject(operator.name));
    forgetSessionSecret(context);
    return context.json({ ended }, 200);
  });
