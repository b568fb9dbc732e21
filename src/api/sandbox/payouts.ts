import { createRoute, z } from '@hono/zod-openapi';
import { findPayout, isOwnPayout, rejectPayout } from '../../ledger/bank/payments.ts';
import { readReturnedPayout, returnSandboxPayout } from '../../ledger/bank/returns/sandbox-return.ts';
import { defaultMemo } from '../../platform/settings.ts';
import type { AddRoutes } from '../api.ts';
import { runOnce } from '../http/run-once.ts';
import { notAllowed } from '../http/errors.ts';
import { actorOf } from '../middlewares/audit.ts';
import { bearerAccess, json, jsonBody, errorResponses } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';
import * as output from '../../wire/output-fields.ts';

const rejectionSchema = z
  .object({
    reason: input
      .characters(1, 140)
      .default('rejected in the sandbox')
      .openapi({ description: 'Why the bank refuses, 1 to 140 characters. It becomes the reason of the order.' }),
  })
  .openapi('SandboxPayoutRejection', { description: 'Why the bank refuses.' });

const refusedSchema = z.object({
  payout: output.uuid.openapi({ description: 'Id of the payout.' }),
  order: output.uuid.openapi({ description: 'Id of its order.' }),
});

const returnSchema = z
  .object({
    reason: input
      .characters(1, 140)
      .default('AC04 closed account number')
      .openapi({ description: 'Why the money comes back, 1 to 140 characters. It is part of the memo of the new order.' }),
  })
  .openapi('SandboxPayoutReturn', { description: 'Why the money comes back.' });

const returnedSchema = z.object({
  payout: output.uuid.openapi({ description: 'Id of the payout.' }),
  order: output.uuid.openapi({ description: 'Id of its order, which stays `processed`.' }),
  givenBackBy: output.uuid.nullable().openapi({
    description:
      'Id of the order that gives the tokens back; `null` when the money waits for an operator, because the address is no longer linked.',
  }),
});

const returnRoute = {
  method: 'post',
  path: '/sandbox/payouts/{id}/return',
  ...bearerAccess('Sandbox'),
  operationId: 'simulatePayoutReturn',
  summary: 'Simulate that a payout comes back',
  description:
    'The bank has carried the payout out, and its money comes back, such as from a closed account. A new order of kind `issue` gives the tokens back. In the sandbox only.',
  request: {
    params: z.object({ id: input.uuid.openapi({ description: 'Id of the order, or of its payout.' }) }),
    body: { ...jsonBody(returnSchema, 'The reason.'), required: false },
  },
  responses: {
    200: json(returnedSchema, 'The money is back.'),
    ...errorResponses(401, 403, 404, 406, 409, 413, 415, 'unknown_payout', 'payout_not_booked', 'payout_decided'),
  },
} as const;

const route = {
  method: 'post',
  path: '/sandbox/payouts/{id}/reject',
  ...bearerAccess('Sandbox'),
  operationId: 'simulatePayoutRejection',
  summary: 'Simulate that the bank refuses a payout',
  description: 'The tokens are given back to their holder, and the order is rejected. In the sandbox only.',
  request: {
    params: z.object({ id: input.uuid.openapi({ description: 'Id of the order, or of its payout.' }) }),
    body: { ...jsonBody(rejectionSchema, 'The reason, which becomes that of the order.'), required: false },
  },
  responses: {
    200: json(refusedSchema, 'The payout is refused.'),
    ...errorResponses(401, 403, 404, 406, 409, 413, 415, 'unknown_payout', 'payout_decided'),
  },
} as const;

/** `POST /sandbox/payouts/{id}/reject` and `/return`: simulates a bank that refuses or returns a payout, in the sandbox only (docs/api.md, Sandbox endpoints). */
export const addSandboxPayouts: AddRoutes = (api, { settings, ledger }, guards) => {
  if (settings.environment !== 'sandbox') return;
  api.openapi(createRoute({ ...route, middleware: guards.caller }), async (context) => {
    const { id } = context.req.valid('param');
    if (!(await isOwnPayout(ledger, context.var.caller, id))) throw notAllowed('The payout does not belong to a profile of the caller');
    // A missing body is not validated, so the default is applied here.
    const { reason } = rejectionSchema.parse(context.req.valid('json') ?? {});
    const payout = await findPayout(ledger, id);
    const { paymentId, orderId } = await runOnce({ ledger }, context.var, {
      action: 'payment.reject',
      subject: payout?.id ?? id,
      run: () => rejectPayout(ledger, id, reason),
      readResult: async () => ({ paymentId: payout?.id ?? id, orderId: payout?.orderId ?? id }),
    });
    return context.json({ payout: paymentId, order: orderId }, 200);
  });
  const recordOptions = { source: 'sandbox', defaultMemo: defaultMemo(settings), tokens: [] };
  api.openapi(createRoute({ ...returnRoute, middleware: guards.caller }), async (context) => {
    const { id } = context.req.valid('param');
    if (!(await isOwnPayout(ledger, context.var.caller, id))) throw notAllowed('The payout does not belong to a profile of the caller');
    const { reason } = returnSchema.parse(context.req.valid('json') ?? {});
    const payout = await findPayout(ledger, id);
    const { paymentId, orderId, givenBackBy } = await runOnce({ ledger }, context.var, {
      action: 'payment.come-back',
      subject: payout?.id ?? id,
      run: () =>
        returnSandboxPayout(ledger, id, { ...recordOptions, reason, reportedBy: actorOf(context.var.caller, context.var.correlationId) }),
      readResult: async () => (await readReturnedPayout(ledger, id)) ?? { paymentId: id, orderId: id, givenBackBy: null },
    });
    return context.json({ payout: paymentId, order: orderId, givenBackBy }, 200);
  });
};
