import { createRoute } from '@hono/zod-openapi';
import { defaultMemo } from '../../platform/settings.ts';
import type { Caller } from '../../ledger/access/permissions.ts';
import { recoverSigner } from '../../chain/signatures/ecdsa.ts';
import { isErc6492, unwrapErc6492 } from '../../chain/signatures/erc6492.ts';
import { requireOwnFile } from '../../ledger/customers/files.ts';
import { messageProblem } from '../../ledger/orders/payment-message.ts';
import type { RedemptionDraft } from '../../ledger/orders/place-order.ts';
import { requireRedeemer } from '../../ledger/orders/redemption-rules.ts';
import { type RedemptionResult, redemptionResult } from '../../ledger/orders/redemption-result.ts';
import { findEarlier, placeBurnt, placeSigned, requestRedemption } from '../../ledger/orders/redemptions.ts';
import { isLostRedemption } from '../../ledger/recovery/unrecorded-outcomes.ts';
import { orderBody, orderSchema } from '../../wire/order.ts';
import type { ApiDependencies, AddRoutes } from '../api.ts';
import { readHolding } from './holding.ts';
import { type OrderRequest, orderRequestSchema } from './order-request-schema.ts';
import { invalid } from '../http/errors.ts';
import { acceptedBody, acceptedSchema, bearerAccess, errorResponses, json, jsonBody } from '../http/responses.ts';
import { redemptionKey } from './redemption-key.ts';

const placementErrors = [
  'address_not_linked',
  'insufficient_balance',
  'message_already_used',
  'unknown_file',
  'profile_not_approved',
  'order_conflict',
  'indexer_not_ready',
] as const;

/** `POST /orders`: redeems to a bank account or to another chain (docs/api.md, Placing an order). */
export const addOrderPlacement: AddRoutes = (api, deps, guards) => {
  const route = createRoute({
    method: 'post',
    path: '/orders',
    ...bearerAccess('Orders'),
    summary: 'Place an order',
    description:
      'Burns tokens of a linked address and pays them out, to a bank account (`standard: iban`) or on a chain (`standard: chain`). The holder signs the payment as a text, such as ' +
      '`Send EUR 10.50 to DE89370400440532013000 at 2026-11-20T16:03:54Z`. Currency, amount and destination must be those of the order, and its time at most five minutes old. One ' +
      'signed message authorises one order. A contract account that has not confirmed its signature after three seconds gets 202; `GET /signatures` lists it. The same `id` with the ' +
      'same body is the same order, so a request may be repeated until it is answered.',
    middleware: guards.caller,
    request: { body: jsonBody(orderRequestSchema(deps.settings), 'The order, and the signed message that authorises it.') },
    responses: {
      200: json(orderSchema, 'The order is placed.'),
      202: json(acceptedSchema, 'The order waits for the signature of its account.'),
      ...errorResponses(400, 401, 403, 406, 409, 413, ...placementErrors),
    },
  });
  api.openapi(route, async (context) => {
    const { caller, correlationId, claim } = context.var;
    const order = context.req.valid('json');
    const placed = await placeOrder(deps, caller, { ...order, id: order.id ?? claim?.makes }, correlationId);
    return placed === 'awaits signature' ? context.json(acceptedBody, 202) : context.json(orderBody(placed), 200);
  });
};

/**
 * Places an order. For a retry it returns what the identical earlier request led to. Placing a retry always fails, because its id and its
 * message are used, so an earlier request is looked up after a failure only.
 */
async function placeOrder(deps: ApiDependencies, caller: Caller, order: OrderRequest, correlationId: string): Promise<RedemptionResult> {
  const key = redemptionKey(order);
  try {
    return await placeNew(deps, caller, { ...order, key, correlationId });
  } catch (error) {
    const earlier = await findEarlier(deps.ledger, caller, key);
    if (earlier === undefined) throw error;
    return redemptionResult(deps.ledger, caller, key, earlier);
  }
}

type NewOrder = OrderRequest & { key: ReturnType<typeof redemptionKey>; correlationId: string };

async function placeNew(deps: ApiDependencies, caller: Caller, order: NewOrder): Promise<RedemptionResult> {
  const { ledger } = deps;
  const { key, address, chain, currency } = order;
  const isLost = await isLostRedemption(ledger, { chain, address, digest: key.digest });
  requireMatchingMessage(order, isLost ? 'at any time' : 'now');
  const unsigned = draftOf(order, defaultMemo(deps.settings));
  const { signature, isSignedByKey } = readSignature(order);
  const profile = await requireRedeemer(ledger, caller, address, chain);
  if (unsigned.supportingDocument !== null) await requireOwnFile(ledger, caller, unsigned.supportingDocument);
  const draft: RedemptionDraft = { ...unsigned, signature, profile };
  if (isLost) return placeBurnt(ledger, caller, draft, isSignedByKey);
  const holding = await readHolding(deps, { chain, address, currency });

  if (isSignedByKey) return placeSigned(ledger, caller, draft, holding);
  const signatureRequest = await requestRedemption(ledger, draft, holding);
  // What an account signs on chain takes blocks, so the client does not wait for it here.
  return signature === '0x' ? 'awaits signature' : redemptionResult(ledger, caller, key, { signatureRequest });
}

/** A message that the chain has carried out may be as old as it is. */
function requireMatchingMessage({ message, currency, amount, counterpart }: OrderRequest, signed: 'now' | 'at any time'): void {
  const problem = messageProblem(message, { currency, amount, to: counterpart.identifier }, signed === 'now' ? Date.now() : 0);
  if (problem !== undefined) throw invalid({ message: problem });
}

function draftOf(order: NewOrder, memo: string): Omit<RedemptionDraft, 'profile' | 'signature'> {
  const { key, chain, currency, counterpart, message, correlationId } = order;
  return {
    ...key,
    chain,
    currency,
    amount: order.amount.toString(),
    counterpart,
    memo: order.memo ?? memo,
    // An empty reference would otherwise go to the bank in place of the memo.
    referenceNumber: order.referenceNumber || null,
    message,
    supportingDocument: order.supportingDocumentId ?? null,
    correlationId,
  };
}

/** The signature that the token contract passes to an account: ERC-6492 wraps it for accounts without code, which cannot redeem. */
function readSignature({ signature, address, key }: NewOrder): { signature: `0x${string}`; isSignedByKey: boolean } {
  const bare = isErc6492(signature) ? unwrapErc6492(signature)?.signature : signature;
  if (bare === undefined) throw invalid({ signature: 'is not a well-formed ERC-6492 signature' });
  return { signature: bare, isSignedByKey: recoverSigner(key.digest, bare) === address };
}
