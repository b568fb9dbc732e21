import { createRoute, z } from '@hono/zod-openapi';
import { getAddress } from 'viem';
import { listPendingSignatures, type PendingSignature } from '../../ledger/orders/signature-queries.ts';
import { requireProfile } from '../../ledger/access/permissions.ts';
import { formatAmount } from '../../platform/money.ts';
import { counterpartBody, counterpartSchema } from '../../wire/order.ts';
import type { AddRoutes } from '../api.ts';
import { pageRequest, paging } from '../http/paging.ts';
import { bearerAccess, errorResponses, json, listSchema } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';
import * as output from '../../wire/output-fields.ts';

const kindSchema = z.enum(['order', 'linkAddress']);

const pendingSignatureSchema = z
  .object({
    id: output.uuid,
    kind: kindSchema,
    chain: output.chain,
    address: output.address,
    amount: output.amount.optional(),
    currency: output.currency.optional(),
    counterpart: counterpartSchema.optional(),
    createdAt: output.time,
  })
  .openapi('PendingSignature', { description: 'amount, currency and counterpart are those of an order' });

const answer = {
  ...json(listSchema('pending', pendingSignatureSchema), 'The pending signatures, oldest first'),
  headers: z.object({ 'X-Total-Count': z.string().openapi({ type: 'integer', description: 'how many signatures are pending' }) }),
};

/** `GET /signatures`: signatures that accounts have yet to make on chain, or workers to verify (docs/api.md, Signature requests). */
export const addSignatures: AddRoutes = (api, { settings, ledger }, guards) => {
  const route = createRoute({
    method: 'get',
    path: '/signatures',
    ...bearerAccess('Signatures'),
    summary: 'List the signatures that are pending',
    middleware: guards.caller,
    request: {
      query: z.object({
        profile: input.uuid.optional(),
        address: input.address.optional(),
        chain: input.chain(settings).optional(),
        kind: kindSchema.optional(),
        ...paging(input.uuid.optional().openapi({ description: 'id of the last signature of the page before' }), 'created'),
      }),
    },
    responses: { 200: answer, ...errorResponses(400, 401, 403, 406) },
  });
  api.openapi(route, async (context) => {
    const query = context.req.valid('query');
    const { address, chain, kind } = query;
    const profile = await requireProfile(ledger, context.var.caller, query.profile);
    const { rows, total } = await listPendingSignatures(ledger, { profile, address, chain, kind }, pageRequest(query, 'created'));
    context.header('X-Total-Count', String(total));
    return context.json({ pending: rows.map(pendingBody), total }, 200);
  });
};

function pendingBody({ id, kind, chain, address, createdAt, order }: PendingSignature): z.infer<typeof pendingSignatureSchema> {
  return {
    id,
    kind,
    chain,
    address: getAddress(address),
    ...(order ? { amount: formatAmount(order.amount), currency: order.currency, counterpart: counterpartBody(order.counterpart) } : {}),
    createdAt: createdAt.toISOString(),
  };
}
