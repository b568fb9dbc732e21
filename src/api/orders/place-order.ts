import { createRoute, type z } from '@hono/zod-openapi';
import { createHash, randomUUID } from 'node:crypto';
import { hashMessage } from 'viem';
import type { Caller } from '../../ledger/access/permissions.ts';
import { isErc6492, recoverSigner, unwrapErc6492 } from '../../chain/signatures/ecdsa.ts';
import { requireOwnFile } from '../../ledger/customers/files.ts';
import { messageProblem } from '../../ledger/orders/payment-message.ts';
import type { RedemptionDraft } from '../../ledger/orders/place-order.ts';
import { requireRedeemer } from '../../ledger/orders/redemption-rules.ts';
import {
  type Earlier,
  findEarlier,
  placeSigned,
  type RequestKey,
  requestRedemption,
  requirePlaced,
} from '../../ledger/orders/redemptions.ts';
import { acceptUndecided, signatureState } from '../../ledger/orders/signature-requests.ts';
import { orderBody } from '../../wire/order.ts';
import type { ApiDependencies, Part } from '../api.ts';
import { readHolding } from './holding.ts';
import { orderSchema } from '../../wire/order-schema.ts';
import { type OrderRequest, orderRequest } from './order-request-schema.ts';
import { invalid } from '../http/errors.ts';
import { acceptedBody, acceptedSchema, bearerAccess, json, errorResponses } from '../http/responses.ts';
import { awaitVerdict } from './await-verdict.ts';

/** `POST /orders`: redeems to a bank account or to another chain (docs/api.md, Placing an order). */
export const addOrderPlacement: Part = (api, deps, guards) => {
  const route = createRoute({
    method: 'post',
    path: '/orders',
    ...bearerAccess('Orders'),
    summary: 'Redeem: pay from a linked address to a bank account or to another chain',
    middleware: guards.caller,
    request: { body: { ...json(orderRequest(deps.settings), 'The order, and the message that authorises it'), required: true } },
    responses: {
      200: json(orderSchema, 'Placed'),
      202: json(acceptedSchema, 'Placed; it waits for its signature'),
      ...errorResponses(400, 401, 403, 406, 409, 413),
    },
  });
  api.openapi(route, async (context) => {
    const { caller, correlationId, claim } = context.var;
    const order = context.req.valid('json');
    const placed = await placeOrder(deps, caller, { ...order, id: order.id ?? claim?.makes }, correlationId);
    return placed === 'waits' ? context.json(acceptedBody, 202) : context.json(placed, 200);
  });
};

type Placed = z.infer<typeof orderSchema> | 'waits';

/** A retry is answered first, because its message may have expired meanwhile; then come the message and what the ledger knows. */
async function placeOrder(deps: ApiDependencies, caller: Caller, order: OrderRequest, correlationId: string): Promise<Placed> {
  const { ledger, settings } = deps;
  const key = requestKey(order);
  const earlier = order.id === undefined ? undefined : await findEarlier(ledger, caller, key);
  if (earlier) return answer(deps, caller, key, earlier);

  const { currency, amount, counterpart, chain, address } = order;
  const problem = messageProblem(order.message, { currency, amount, to: counterpart.identifier }, Date.now());
  if (problem !== undefined) throw invalid({ message: problem });
  const signature = signatureForToken(order.signature);

  const profile = await requireRedeemer(ledger, caller, address, chain);
  if (order.supportingDocumentId !== undefined) await requireOwnFile(ledger, caller, order.supportingDocumentId);
  const draft: RedemptionDraft = {
    ...key,
    profile,
    chain,
    currency,
    amount: amount.toString(),
    counterpart,
    memo: order.memo ?? `Powered by ${settings.serviceName}`,
    // An empty reference would otherwise go to the bank in place of the memo.
    referenceNumber: order.referenceNumber || null,
    message: order.message,
    signature,
    supportingDocument: order.supportingDocumentId ?? null,
    correlationId,
  };
  const holding = await readHolding(deps, { chain, address, currency });

  if (recoverSigner(key.digest, signature) === address) return orderBody(await placeSigned(ledger, caller, draft, holding));
  const requested = await requestRedemption(ledger, caller, draft, holding);
  // What an account signs on chain takes blocks: nobody waits for that here.
  return signature === '0x' && 'signatureRequest' in requested ? 'waits' : answer(deps, caller, key, requested);
}

async function answer({ ledger }: ApiDependencies, caller: Caller, key: RequestKey, earlier: Earlier): Promise<Placed> {
  if ('order' in earlier) return earlier.awaitsSignature ? 'waits' : orderBody(earlier.order);
  const { signatureRequest } = earlier;
  if ((await awaitVerdict(ledger, signatureRequest)).state === 'pending') await acceptUndecided(ledger, signatureRequest);
  const { state } = await signatureState(ledger, signatureRequest);
  if (state === 'invalid' || state === 'expired') throw invalid({ signature: 'invalid signature' });
  const order = await requirePlaced(ledger, caller, key);
  return state === 'pending' ? 'waits' : orderBody(order);
}

/** The token contract asks an account with its bare signature: what ERC-6492 wraps around it is for accounts without code, which cannot redeem. */
function signatureForToken(signature: `0x${string}`): `0x${string}` {
  if (!isErc6492(signature)) return signature;
  const bare = unwrapErc6492(signature);
  if (bare === undefined) throw invalid({ signature: 'is not a well-formed ERC-6492 signature' });
  return bare;
}

/** What a retry repeats: the whole request, in its parsed form, so that `10.5` and `10.50` are the same. */
function requestKey({ id, ...order }: OrderRequest) {
  const canonical = JSON.stringify({ id, ...order }, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  return {
    id: id ?? randomUUID(),
    address: order.address,
    digest: hashMessage(order.message),
    requestHash: createHash('sha256').update(canonical).digest('hex'),
  };
}
