import { Hono } from 'hono';
import { z } from 'zod';
import { type ApprovalRequest, digestOf, requestApproval } from '../../ledger/operators/approvals.ts';
import { inOpenSession } from '../../ledger/operators/open-session.ts';
import { StopError } from '../../platform/errors.ts';
import { needsFourEyes } from '../../platform/settings.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { jsonObject, validated } from '../http/validated.ts';
import { requireOneOf } from '../sign-in/require-session.ts';
import type { Action, ActionContext } from './action.ts';
import { carryOutAtOnce, describeAction, notAsRead, parseInput, requireAction } from './carry-out.ts';

const named = validated('param', z.object({ name: z.string() }));
const anyJson = validated('json', jsonObject);

/** Characters of an input that is kept for a second person, and listed with others, at most: no action that takes two has a longer one. */
const mostKeptCharacters = 65_536;

/** The digest of what was previewed: with it, nothing else is done than what somebody has read. */
const asRead = validated('query', z.object({ digest: z.string().optional() }));

/** `POST /api/actions/NAME` does what an operator asks for, or keeps it for a second person; `…/preview` says what that would be. */
export const actionRoutes = new Hono<ConsoleEnv>()
  .post('/:name', named, anyJson, asRead, async (context) => {
    const { ledger, operator } = context.var;
    const { digest } = context.req.valid('query');
    const { action, input, isForTwo } = await prepare(context.var, context.req.valid('param').name, context.req.valid('json'));
    const isRead = isForTwo || digest !== undefined;
    const request = isRead ? await requestOf(context.var, action, context.req.valid('json'), input) : undefined;
    if (request && digest !== undefined && digestOf(request).toString('hex') !== digest) throw notAsRead(request.description);
    if (!isForTwo || !request) {
      const result = await carryOutAtOnce(context.var, action, input);
      context.var.live.report(action.topics);
      return context.json({ state: 'done' as const, result }, 200);
    }
    const { id } = await inOpenSession(ledger, operator, (tx) => requestApproval(tx, operator.name, request));
    return context.json({ state: 'waiting' as const, approval: id }, 202);
  })
  .post('/:name/preview', named, anyJson, async (context) => {
    const { action, input, isForTwo } = await prepare(context.var, context.req.valid('param').name, context.req.valid('json'));
    const request = await requestOf(context.var, action, context.req.valid('json'), input);
    return context.json({ description: request.description, digest: digestOf(request).toString('hex'), needsSecondPerson: isForTwo }, 200);
  });

/** What an operator asks for, with the sentence that says at this moment what it would do. */
async function requestOf(context: ActionContext, action: Action, body: unknown, input: unknown): Promise<ApprovalRequest> {
  return { action: action.name, input: JSON.stringify(body), description: await describeAction(action, context, input) };
}

/** Validates a request for an action. Throws `unknown_action`, `role_not_sufficient`, `invalid_request` and `body_too_large`. */
async function prepare(
  context: ActionContext,
  name: string,
  body: unknown,
): Promise<{ action: Action; input: unknown; isForTwo: boolean }> {
  const action = requireAction(name);
  requireOneOf(action.roles, context.operator.role);
  const input = await parseInput(action, body);
  const { needsSecondPerson } = action;
  const isDelicate = typeof needsSecondPerson === 'boolean' ? needsSecondPerson : await needsSecondPerson(context, input);
  const isForTwo = isDelicate && needsFourEyes(context.settings);
  if (isForTwo && JSON.stringify(body).length > mostKeptCharacters)
    throw new StopError({ code: 'body_too_large', message: `The input is longer than ${mostKeptCharacters} characters` });
  return { action, input, isForTwo };
}
