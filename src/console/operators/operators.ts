import { Hono } from 'hono';
import { z } from 'zod';
import { makeInvitationCode } from '../../ledger/operators/invitations.ts';
import { listOperators } from '../../ledger/operators/operators.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { requireRole } from '../sign-in/require-session.ts';

const named = validated('param', z.object({ name: z.string().min(1).max(64) }));

/** Who may sign in to the console, and the codes of their invitations. */
export const operatorRoutes = new Hono<ConsoleEnv>()
  .get('/', requireRole('administrator'), async (context) => context.json({ operators: await listOperators(context.var.ledger) }, 200))
  .post('/:name/invitation-code', requireRole('administrator'), named, async (context) => {
    const { ledger, operator } = context.var;
    const code = await makeInvitationCode(ledger, { operator: context.req.valid('param').name, maker: operator.name });
    return context.json({ code }, 200);
  });
