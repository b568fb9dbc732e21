import { Hono } from 'hono';
import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import { listApprovals } from '../../ledger/operators/approvals.ts';
import { makeInvitationCode } from '../../ledger/operators/invitations.ts';
import { inOpenSession } from '../../ledger/operators/open-session.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { requireRole } from '../http/require-session.ts';
import { operators } from '../../operations/operators/operator-view.ts';
import { readView } from '../../operations/view.ts';
import { addOperatorVerb } from '../../operations/operators/operators.ts';

/** Requests of additions that are listed at most, the latest. */
const mostRequested = 100;

const named = validated('param', z.object({ name: z.string().min(1).max(64) }));

/** Who may sign in to the console, and the codes of their invitations. */
export const operatorRoutes = new Hono<ConsoleEnv>()
  .get('/', requireRole(...operators.roles), async (context) => {
    const { ledger } = context.var;
    const { rows } = await readView(operators, ledger, {}, Infinity);
    return context.json({ operators: rows, requested: await listRequested(ledger) }, 200);
  })
  .post('/:name/invitation-code', requireRole('administrator'), named, async (context) => {
    const { ledger, operator } = context.var;
    const made = { operator: context.req.valid('param').name, maker: operator.name };
    const code = await inOpenSession(ledger, operator, (tx) => makeInvitationCode(tx, made));
    return context.json({ code }, 200);
  });

/** The operators whose addition waits for a second person, or was interrupted after that. */
async function listRequested(ledger: Ledger) {
  const approvals = await listApprovals(ledger, { isOpen: true, action: addOperatorVerb.name, limit: mostRequested });
  return approvals.map(({ id, input, requestedBy, requestedAt }) => {
    const { name, role } = addOperatorVerb.input.parse(JSON.parse(input));
    return { approval: id, name, role, requestedBy, requestedAt };
  });
}
