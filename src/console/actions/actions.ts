import { Hono } from 'hono';
import { z } from 'zod';
import { digestOf, requestApproval } from '../../ledger/operators/approvals.ts';
import { inOpenSession } from '../../ledger/operators/open-session.ts';
import { prepareVerb, requestOf, requireDigest } from '../../operations/prepare-verb.ts';
import { requireVerb } from '../../operations/registry.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { jsonObject, validated } from '../http/validated.ts';
import { carryOutAtOnce } from './carry-out.ts';

const named = validated('param', z.object({ name: z.string() }));
const anyJson = validated('json', jsonObject);

/** The digest of what was previewed: with it, nothing else is done than what somebody has read. */
const asRead = validated('query', z.object({ digest: z.string().optional() }));

/**
 * `POST /api/actions/NAME` does what an operator asks for, or keeps it for a second person; `…/preview` says what that would be. What makes no sense to
 * describe is refused by both, and by a command.
 */
export const actionRoutes = new Hono<ConsoleEnv>()
  .post('/:name', named, anyJson, asRead, async (context) => {
    const { ledger, operator } = context.var;
    const { digest } = context.req.valid('query');
    const prepared = await prepareVerb(requireVerb(context.req.valid('param').name), context.var, context.req.valid('json'));
    const request = await requestOf(prepared, context.var);
    if (digest !== undefined) requireDigest(request, digest);
    if (!prepared.isForTwo) {
      const result = await carryOutAtOnce(context.var, prepared);
      context.var.live.report(prepared.verb.topics);
      return context.json({ state: 'done' as const, result }, 200);
    }
    const { id } = await inOpenSession(ledger, operator, (tx) => requestApproval(tx, operator.name, request));
    return context.json({ state: 'waiting' as const, approval: id }, 202);
  })
  .post('/:name/preview', named, anyJson, async (context) => {
    const prepared = await prepareVerb(requireVerb(context.req.valid('param').name), context.var, context.req.valid('json'));
    const request = await requestOf(prepared, context.var);
    const digest = digestOf(request).toString('hex');
    return context.json({ description: request.description, digest, needsSecondPerson: prepared.isForTwo }, 200);
  });
