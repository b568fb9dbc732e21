import { createRoute, z } from '@hono/zod-openapi';
import { decideProfile, type Decision } from '../../ledger/customers/profile-review.ts';
import type { ApiEnv, Guards, AddRoutes } from '../api.ts';
import { runOnce } from '../http/run-once.ts';
import { profileSchema } from '../customers/profile-schema.ts';
import { readProfile, requireProfileOfPath } from '../customers/profiles.ts';
import { bearerAccess, json, errorResponses } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';

const rejectionSchema = z.object({ reason: input.characters(1, 500).default('rejected in the sandbox') }).openapi('SandboxRejection');

const problemSchema = z.object({
  field: input
    .characters(1, 200)
    .openapi({ description: 'details, form or a verification kind, perhaps with a field in it: details.birthday' }),
  reason: input.characters(1, 500),
});

const incompletenessSchema = z
  .object({
    errors: z
      .tuple([problemSchema], problemSchema)
      .refine((errors) => errors.length <= 50, 'must be at most 50')
      .default([{ field: 'details', reason: 'sent back in the sandbox' }]),
  })
  .openapi('SandboxIncompleteness');

/** `POST /sandbox/profiles/{id}/approve`, `/reject` and `/incomplete`: decides a review, in the sandbox only. */
export const addSandboxProfiles: AddRoutes = (api, { settings, ledger }, guards) => {
  if (settings.environment !== 'sandbox') return;
  const decide = async (variables: ApiEnv['Variables'], named: string, decision: Decision) => {
    const { caller, correlationId } = variables;
    const id = await requireProfileOfPath(ledger, caller, named);
    return runOnce({ ledger }, variables, {
      action: 'profile.review',
      subject: id,
      detail: { decision: decision.decision },
      run: () => decideProfile(ledger, id, decision, { by: caller.application, correlationId }),
      readResult: () => readProfile(ledger, id),
    });
  };

  const approve = createRoute({ ...routeOf(guards), path: '/sandbox/profiles/{id}/approve', summary: 'Approve a profile in review' });
  api.openapi(approve, async (context) =>
    context.json(await decide(context.var, context.req.valid('param').id, { decision: 'approved' }), 200),
  );

  const reject = createRoute({
    ...routeOf(guards),
    path: '/sandbox/profiles/{id}/reject',
    summary: 'Reject a profile in review',
    request: { params, body: { ...json(rejectionSchema, 'The reason'), required: false } },
  });
  api.openapi(reject, async (context) => {
    // A missing body is not validated, so the default is applied here.
    const { reason } = rejectionSchema.parse(context.req.valid('json') ?? {});
    return context.json(await decide(context.var, context.req.valid('param').id, { decision: 'rejected', reason }), 200);
  });

  const sendBack = createRoute({
    ...routeOf(guards),
    path: '/sandbox/profiles/{id}/incomplete',
    summary: 'Send a profile in review back as incomplete, with errors',
    request: { params, body: { ...json(incompletenessSchema, 'The errors'), required: false } },
  });
  api.openapi(sendBack, async (context) => {
    const { errors } = incompletenessSchema.parse(context.req.valid('json') ?? {});
    return context.json(await decide(context.var, context.req.valid('param').id, { decision: 'incomplete', errors }), 200);
  });
};

const params = z.object({ id: z.string().openapi({ format: 'uuid' }) });

function routeOf(guards: Guards) {
  return {
    method: 'post' as const,
    ...bearerAccess('Sandbox'),
    middleware: guards.caller,
    request: { params },
    responses: { 200: json(profileSchema, 'Decided'), ...errorResponses(400, 401, 403, 406, 409, 413) },
  };
}
