import { Hono } from 'hono';
import { z } from 'zod';
import { type Approval, decideApproval, findApproval, listApprovals, withdrawApproval } from '../../ledger/operators/approvals.ts';
import { inOpenSession } from '../../ledger/operators/open-session.ts';
import { StopError } from '../../platform/errors.ts';
import { printable } from '../../platform/printable.ts';
import { findVerb, requireVerb } from '../../operations/registry.ts';
import { requireOneOf } from '../../operations/require-role.ts';
import type { Json } from '../../operations/verb.ts';
import { carryOutApproved } from '../actions/carry-out.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';

const identified = validated('param', z.object({ id: z.uuid() }));
/** What was read: the digest binds the decision to it. */
const decision = validated('json', z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/), note: z.string().trim().max(500).optional() }));

/** Approvals on a page at most. */
const mostListed = 200;

/** What waits for a second person, and what became of it. */
export const approvalRoutes = new Hono<ConsoleEnv>()
  .get(
    '/',
    validated(
      'query',
      z.object({
        state: z.enum(['open', 'all']).default('open'),
        after: z.uuid().optional(),
        limit: z.coerce.number().int().min(1).max(mostListed).default(50),
      }),
    ),
    async (context) => {
      const { ledger, operator } = context.var;
      const { state, after, limit } = context.req.valid('query');
      const approvals = await listApprovals(ledger, { isOpen: state === 'open', after, limit: limit + 1 });
      const page = approvals.slice(0, limit);
      return context.json(
        { approvals: page.map((approval) => render(approval, operator)), next: approvals.length > limit ? page.at(-1)?.id : undefined },
        200,
      );
    },
  )
  .get('/:id', identified, async (context) => {
    const { ledger, operator } = context.var;
    return context.json(render(await findApproval(ledger, context.req.valid('param').id), operator), 200);
  })
  .post('/:id/approve', identified, decision, async (context) => {
    const { ledger, operator } = context.var;
    const { id } = context.req.valid('param');
    await requireMayDecide(context.var, id);
    const decided = { operator: operator.name, decision: 'approved', ...context.req.valid('json') } as const;
    await inOpenSession(ledger, operator, (tx) => decideApproval(tx, id, decided));
    return context.json({ result: await carryOutApproved(context.var, id) }, 200);
  })
  .post('/:id/refuse', identified, decision, async (context) => {
    const { ledger, operator } = context.var;
    const { id } = context.req.valid('param');
    await requireMayDecide(context.var, id);
    const decided = { operator: operator.name, decision: 'refused', ...context.req.valid('json') } as const;
    await inOpenSession(ledger, operator, (tx) => decideApproval(tx, id, decided));
    return context.json({}, 200);
  })
  .post('/:id/withdraw', identified, async (context) => {
    const { ledger, operator } = context.var;
    await withdrawApproval(ledger, context.req.valid('param').id, operator.name);
    return context.json({}, 200);
  })
  .post('/:id/carry-out', identified, async (context) => {
    const { id } = context.req.valid('param');
    const approval = await requireMayDecide(context.var, id);
    if (!mayCarryOut(approval, context.var.operator))
      throw new StopError({
        code: 'own_approval',
        message: 'You have asked for this yourself, so somebody else gets the secret that it makes',
      });
    return context.json({ result: await carryOutApproved(context.var, id) }, 200);
  });

/** The approval, of an action that the operator may decide on. Throws `not_found` and `role_not_sufficient`. */
async function requireMayDecide({ ledger, operator }: ConsoleEnv['Variables'], id: string): Promise<Approval> {
  const approval = await findApproval(ledger, id);
  requireOneOf(requireVerb(approval.action).roles, operator.role);
  return approval;
}

/** Who asked for a secret never gets it: of an invitation, they make the other half. */
function mayCarryOut({ action, requestedBy }: Approval, { name }: ConsoleEnv['Variables']['operator']): boolean {
  return findVerb(action)?.isResultSecret !== true || requestedBy !== name;
}

function render(read: Approval, operator: ConsoleEnv['Variables']['operator']) {
  const { input, result, ...approval } = read;
  const { name, role } = operator;
  const mayAct = findVerb(approval.action)?.roles.includes(role) === true;
  return {
    ...approval,
    input: JSON.parse(input) as Json,
    /** The same for people to read: what is not seen, or turns round what follows, is written out. */
    inputText: JSON.stringify(JSON.parse(input), null, 2).split('\n').map(printable).join('\n'),
    result: result === null ? null : (JSON.parse(result) as Json),
    mayDecide: mayAct && approval.state === 'waiting' && approval.requestedBy !== name,
    mayWithdraw: approval.state === 'waiting' && approval.requestedBy === name,
    mayCarryOut: mayAct && approval.isInterrupted && mayCarryOut(read, operator),
  };
}
