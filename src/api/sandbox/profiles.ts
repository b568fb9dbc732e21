import { createRoute, z } from '@hono/zod-openapi';
import { decideProfile, type Decision, type ReviewError } from '../../ledger/customers/profile-review.ts';
import type { ApiEnv, Guards, AddRoutes } from '../api.ts';
import { runOnce } from '../http/run-once.ts';
import { profileSchema } from '../customers/profile-schema.ts';
import { readProfile, requireProfileOfPath } from '../customers/profiles.ts';
import { bearerAccess, json, jsonBody, errorResponses } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';

const rejectionSchema = z
  .object({
    reason: input
      .characters(1, 500)
      .default('rejected in the sandbox')
      .openapi({ description: 'Why the profile is rejected, 1 to 500 characters.' }),
  })
  .openapi('SandboxRejection', { description: 'Why the profile is rejected.' });

const problemSchema = z.object({
  field: input
    .characters(1, 200)
    .openapi({ description: '`details`, `form` or the kind of a verification, perhaps with a field in it: `details.birthday`.' }),
  reason: input.characters(1, 500).openapi({ description: 'What is wrong with it, 1 to 500 characters.' }),
});

const incompletenessSchema = z
  .object({
    errors: z
      .array(problemSchema)
      .min(1)
      .max(50, 'must be at most 50')
      .transform((errors) => errors as [ReviewError, ...ReviewError[]])
      .default([{ field: 'details', reason: 'sent back in the sandbox' }])
      .openapi({ description: 'What is wrong, field by field: 1 to 50. The event `profile.error` carries it.' }),
  })
  .openapi('SandboxIncompleteness', { description: 'What is wrong with the profile.' });

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

  const approve = createRoute({
    ...routeOf(guards),
    path: '/sandbox/profiles/{id}/approve',
    operationId: 'approveProfile',
    summary: 'Approve a profile in review',
    description: 'Decides as an operator would. The event is `profile.updated`. In the sandbox only.',
  });
  api.openapi(approve, async (context) =>
    context.json(await decide(context.var, context.req.valid('param').id, { decision: 'approved' }), 200),
  );

  const reject = createRoute({
    ...routeOf(guards),
    path: '/sandbox/profiles/{id}/reject',
    operationId: 'rejectProfile',
    summary: 'Reject a profile in review',
    description: 'Decides as an operator would. It is final. The event is `profile.updated`. In the sandbox only.',
    request: { params, body: { ...jsonBody(rejectionSchema, 'The reason.'), required: false } },
  });
  api.openapi(reject, async (context) => {
    // A missing body is not validated, so the default is applied here.
    const { reason } = rejectionSchema.parse(context.req.valid('json') ?? {});
    return context.json(await decide(context.var, context.req.valid('param').id, { decision: 'rejected', reason }), 200);
  });

  const sendBack = createRoute({
    ...routeOf(guards),
    path: '/sandbox/profiles/{id}/incomplete',
    operationId: 'sendProfileBack',
    summary: 'Send a profile in review back as incomplete',
    description: 'Decides as an operator would. The events are `profile.updated` and `profile.error`. In the sandbox only.',
    request: { params, body: { ...jsonBody(incompletenessSchema, 'The errors.'), required: false } },
  });
  api.openapi(sendBack, async (context) => {
    const { errors } = incompletenessSchema.parse(context.req.valid('json') ?? {});
    return context.json(await decide(context.var, context.req.valid('param').id, { decision: 'incomplete', errors }), 200);
  });
};

const params = z.object({ id: z.string().openapi({ format: 'uuid', description: 'Id of the profile.' }) });

function routeOf(guards: Guards) {
  return {
    method: 'post' as const,
    ...bearerAccess('Sandbox'),
    middleware: guards.caller,
    request: { params },
    responses: {
      200: json(profileSchema, 'The profile after the decision.'),
      ...errorResponses(401, 403, 406, 409, 413, 415, 'profile_not_in_review', 'unknown_section'),
    },
  };
}
