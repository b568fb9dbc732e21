import { createRoute, z } from '@hono/zod-openapi';
import { getAddress } from 'viem';
import { type EndedLink, listEndedLinks, listPendingSignatures, type PendingSignature } from '../../ledger/orders/signature-queries.ts';
import { requireProfile } from '../../ledger/access/permissions.ts';
import { formatAmount } from '../../platform/money.ts';
import { counterpartBody, counterpartSchema } from '../../wire/order.ts';
import type { AddRoutes } from '../api.ts';
import { contest, contestSchema } from '../customers/contest.ts';
import { query } from '../http/query.ts';
import { pageRequest, paging } from '../http/paging.ts';
import { bearerAccess, errorResponses, json, listResponse, totalHeader } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';
import * as output from '../../wire/output-fields.ts';

const kindSchema = z
  .enum(['order', 'linkAddress'])
  .openapi({ description: 'What the signature is for: an order, or the link of an address.' });

const pendingSignatureSchema = z
  .object({
    id: output.uuid.openapi({ description: 'Of an order, the id of the order; of a link, the id of the request.' }),
    kind: kindSchema,
    chain: output.chain,
    address: output.address.openapi({ description: 'The contract account that signs, in EIP-55 checksum form.' }),
    amount: output.amount.optional(),
    currency: output.currency.optional(),
    counterpart: counterpartSchema.optional(),
    message: z.string().optional().openapi({ description: 'What the account has to sign for the order.' }),
    createdAt: output.time.openapi({ description: 'When the signature was requested (UTC).' }),
    contest: contestSchema.optional(),
  })
  .openapi('PendingSignature', {
    description:
      'A signature of a contract account that is waited for. `amount`, `currency`, `counterpart` and `message` are those of an order.',
  });

const endedLinkSchema = z
  .object({
    id: output.uuid.openapi({ description: 'Id of the request.' }),
    kind: z.literal('linkAddress').openapi({ description: 'What the signature was for: the link of an address.' }),
    chain: output.chain,
    address: output.address.openapi({ description: 'The contract account, in EIP-55 checksum form.' }),
    state: z.enum(['invalid', 'expired']).openapi({ description: 'How it ended.' }),
    reason: z.string().openapi({ description: 'Why, for people, such as `already linked` when another profile has proved the address.' }),
    createdAt: output.time.openapi({ description: 'When the link was requested (UTC).' }),
    decidedAt: output.time.openapi({ description: 'When it ended (UTC).' }),
  })
  .openapi('EndedLink', { description: 'The link of a contract account that waited for a signature and came to nothing.' });

const { headers, content, description } = listResponse(
  'pending',
  pendingSignatureSchema,
  'The pending signatures, oldest first.',
  'A page of pending signatures.',
);
const page = content['application/json'].schema.extend({
  ended: z.array(endedLinkSchema).optional().openapi({
    description: 'The links that came to nothing in the last 30 days, the latest first, at most 100. Absent when there are none.',
  }),
});
const answer = { ...json(page, description), headers: headers.extend(totalHeader.shape) };

/** `GET /signatures`: signatures that accounts have yet to make on chain, or workers to verify (docs/api.md, Signature requests). */
export const addSignatures: AddRoutes = (api, { settings, ledger, answerList }, guards) => {
  const route = createRoute({
    method: 'get',
    path: '/signatures',
    ...bearerAccess('Signatures'),
    operationId: 'listPendingSignatures',
    summary: 'List pending signatures',
    description:
      'Signatures of contract accounts that are waited for, oldest first. One on chain is waited for for five days; then the order is rejected, or the link ends. Links that ended without one are listed beside them.',
    middleware: guards.caller,
    request: {
      query: query(
        z.object({
          profile: input.profile.optional(),
          address: input.address.optional().openapi({ description: 'Only signatures of this address.' }),
          chain: input.chain(settings).optional().openapi({ description: 'Only signatures on this chain.' }),
          kind: kindSchema.optional().openapi({ description: 'Only signatures for this.' }),
          ...paging(input.uuid.optional().openapi({ description: 'The `id` of the last signature of the page before.' }), 'created'),
        }),
      ),
    },
    responses: { 200: answer, ...errorResponses(401, 403, 406, 'unknown_cursor') },
  });
  api.openapi(route, async (context) => {
    const query = context.req.valid('query');
    const { address, chain, kind } = query;
    const profile = await requireProfile(ledger, context.var.caller, query.profile);
    const filter = { profile, address, chain, kind };
    const [page, ended] = await Promise.all([
      listPendingSignatures(ledger, filter, pageRequest(query, 'created')),
      listEndedLinks(ledger, filter),
    ]);
    context.header('X-Total-Count', String(page.total));
    return answerList(context, 'pending', page, pendingBody, ended.length > 0 ? { ended: ended.map(endedBody) } : {});
  });
};

function endedBody({ address, createdAt, decidedAt, ...ended }: EndedLink): z.infer<typeof endedLinkSchema> {
  const times = { createdAt: createdAt.toISOString(), decidedAt: decidedAt.toISOString() };
  return { ...ended, kind: 'linkAddress', address: getAddress(address), ...times };
}

function pendingBody({
  id,
  kind,
  chain,
  address,
  createdAt,
  order,
  isContested,
}: PendingSignature): z.infer<typeof pendingSignatureSchema> {
  return {
    id,
    kind,
    chain,
    address: getAddress(address),
    ...(order
      ? {
          amount: formatAmount(order.amount),
          currency: order.currency,
          counterpart: counterpartBody(order.counterpart),
          message: order.message,
        }
      : {}),
    createdAt: createdAt.toISOString(),
    ...(isContested ? { contest } : {}),
  };
}
