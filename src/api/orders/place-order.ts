import { createRoute } from '@hono/zod-openapi';
import { createHash, randomUUID } from 'node:crypto';
import { hashMessage } from 'viem';
import { MintrailError, type StopError } from '../../platform/errors.ts';
import { defaultMemo } from '../../platform/settings.ts';
import type { Caller } from '../../ledger/access/permissions.ts';
import { expandCompact, recoverSigner } from '../../chain/signatures/ecdsa.ts';
import { isErc6492, unwrapErc6492 } from '../../chain/signatures/erc6492.ts';
import { findAddress } from '../../ledger/customers/addresses.ts';
import { type LowerAddress, lowerAddress } from '../../platform/addresses.ts';
import { hasWrongChecksum } from '../../wire/input-fields.ts';
import { messageProblem } from '../../ledger/orders/payment-message.ts';
import type { RedemptionDraft } from '../../ledger/orders/placement/insert-redemptions.ts';
import type { RedemptionRequest } from '../../ledger/orders/placement/redemption-request.ts';
import { type RedemptionResult, redemptionResult } from '../../ledger/orders/redemption-result.ts';
import { findEarlier, type RedemptionKey, requestRedemption } from '../../ledger/orders/redemptions.ts';
import { orderBody, orderSchema } from '../../wire/order.ts';
import type { ApiDependencies, AddRoutes } from '../api.ts';
import { actorOf } from '../middlewares/audit.ts';
import { type OrderRequest, orderRequestSchema } from './order-request-schema.ts';
import { invalid } from '../http/errors.ts';
import { acceptedBody, acceptedSchema, bearerAccess, errorResponses, json, jsonBody } from '../http/responses.ts';

const placementErrors = [
  'address_not_linked',
  'insufficient_balance',
  'message_already_used',
  'unknown_file',
  'profile_not_approved',
  'order_conflict',
  'indexer_not_ready',
  'payouts_unavailable',
] as const;

/** `POST /orders`: redeems to a bank account or to another chain (docs/api.md, Placing an order). */
export const addOrderPlacement: AddRoutes = (api, deps, guards) => {
  const route = createRoute({
    method: 'post',
    path: '/orders',
    ...bearerAccess('Orders'),
    operationId: 'placeOrder',
    summary: 'Place an order',
    description:
      'Sends money: burns tokens of a linked address and pays them out, to a bank account (`standard: iban`) or on a chain (`standard: chain`). The holder signs the payment as a text, such as ' +
      '`Send EUR 10.50 to DE89370400440532013000 at 2026-11-20T16:03:54Z`. Currency, amount and destination must be those of the order, and its time at most five minutes old. One ' +
      'signed message authorises one order. A contract account that has not confirmed its signature after three seconds gets 202; `GET /signatures` lists it. The same `id` with the ' +
      'same body is the same order, so a request may be repeated until it is answered.',
    middleware: guards.caller,
    request: { body: jsonBody(orderRequestSchema(deps.settings), 'The order, and the signed message that authorises it.') },
    responses: {
      200: json(orderSchema, 'The order is placed.'),
      202: json(acceptedSchema, 'The order waits for the signature of its account.'),
      ...errorResponses(401, 403, 406, 409, 413, 415, ...placementErrors),
    },
  });
  api.openapi(route, async (context) => {
    const { caller, correlationId, claim } = context.var;
    const order = context.req.valid('json');
    const identified = { ...order, id: order.id ?? claim?.makes };
    const key = redemptionKey(identified);
    const target = misspeltTarget(await context.req.json());
    const { placed, isNew } = await placeOrder(deps, caller, { ...identified, key, correlationId, misspeltTarget: target });
    context.set('traced', { order: key.id, isNew });
    return placed === 'awaits signature' ? context.json(acceptedBody, 202) : context.json(orderBody(placed), 200);
  });
};

/** Places an order. For a retry it returns what the identical earlier request led to. */
async function placeOrder(deps: ApiDependencies, caller: Caller, order: NewOrder): Promise<{ placed: RedemptionResult; isNew: boolean }> {
  const { ledger } = deps;
  const { key } = order;
  const request = await redemptionRequest(deps, caller, order);
  const result = await deps.placeRedemption(request);
  if (result.kind === 'order') return { placed: result.awaitsSignature ? 'awaits signature' : result.order, isNew: result.isNew };
  try {
    if (result.kind === 'error') throw result.error;
    const signatureRequest = await requestRedemption(ledger, {
      draft: result.draft,
      openingBalance: request.openingBalance,
      readHoldings: deps.readHoldings,
    });
    // What an account signs on chain takes blocks, so the client does not wait for it here.
    const isOnChain = result.draft.signature === '0x';
    return { placed: isOnChain ? 'awaits signature' : await redemptionResult(ledger, caller, key, { signatureRequest }), isNew: true };
  } catch (error) {
    if (result.kind === 'error' && !result.hasSignatureRequest) throw error;
    const earlier = await findEarlier(ledger, caller, key);
    if (earlier === undefined) throw error;
    return { placed: await redemptionResult(ledger, caller, key, earlier), isNew: false };
  }
}

type NewOrder = OrderRequest & {
  key: ReturnType<typeof redemptionKey>;
  correlationId: string;
  misspeltTarget: LowerAddress | undefined;
};

/** The target of a cross-chain order when its checksum is wrong: a slip, as far as the spelling tells. */
function misspeltTarget(body: { counterpart: { identifier: { standard: string; address?: string } } }): LowerAddress | undefined {
  const { standard, address = '' } = body.counterpart.identifier;
  return standard === 'chain' && hasWrongChecksum(address) ? lowerAddress(address) : undefined;
}

/** Only a link shows that such a target is an address of the caller's: nothing else would catch a slip there. */
async function problemOfTarget(
  { ledger }: ApiDependencies,
  caller: Caller,
  { misspeltTarget: target }: NewOrder,
): Promise<StopError | undefined> {
  if (target === undefined || (await findAddress(ledger, caller, target)) !== undefined) return undefined;
  return invalid({ 'counterpart.identifier.address': 'has a wrong checksum' });
}

async function redemptionRequest(deps: ApiDependencies, caller: Caller, order: NewOrder): Promise<RedemptionRequest> {
  const { settings, readOpening, payoutOutage } = deps;
  const { address, chain, currency, correlationId } = order;
  const { signature, isSignedByKey, problem } = readSignature(order);
  const outage = order.counterpart.identifier.standard === 'iban' ? await payoutOutage() : undefined;
  return {
    caller,
    actor: actorOf(caller, correlationId),
    draft: { ...draftOf(order, defaultMemo(settings)), signature },
    isSignedByKey,
    // A lost redemption is burnt already, and one that exists is answered as before.
    problems: {
      ofNew: problemOfMessage(order, 'now') ?? problem ?? (await problemOfTarget(deps, caller, order)) ?? outage,
      ofLost: problemOfMessage(order, 'at any time') ?? problem,
    },
    openingBalance: await readOpening(chain, currency, address).catch(orThrow),
  };
}

function orThrow(error: unknown): MintrailError {
  if (error instanceof MintrailError) return error;
  throw error;
}

/** A message that the chain has carried out may be as old as it is. */
function problemOfMessage({ message, currency, amount, counterpart }: OrderRequest, signed: 'now' | 'at any time'): StopError | undefined {
  const problem = messageProblem(message, { currency, amount, to: counterpart.identifier }, signed === 'now' ? Date.now() : 0);
  return problem === undefined ? undefined : invalid({ message: problem });
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

interface ReadSignature {
  signature: string;
  isSignedByKey: boolean;
  problem?: StopError;
}

/** The signature that the token contract passes to an account: ERC-6492 wraps it for accounts without code, which cannot redeem. */
function readSignature({ signature, address, key }: NewOrder): ReadSignature {
  const bare = isErc6492(signature) ? unwrapErc6492(signature)?.signature : signature;
  if (bare === undefined)
    return { signature, isSignedByKey: false, problem: invalid({ signature: 'is not a well-formed ERC-6492 signature' }) };
  // The token contract takes 65 bytes of a key.
  const ofKey = expandCompact(bare);
  return recoverSigner(key.digest, ofKey) === address
    ? { signature: ofKey, isSignedByKey: true }
    : { signature: bare, isSignedByKey: false };
}

/**
 * The key by which a retry is recognised: the order's id, and a hash of the whole request in its parsed form, so that `10.5` and
 * `10.50` are the same. A request without an id gets a new one, so it never is a retry.
 */
function redemptionKey({ id, ...order }: OrderRequest): RedemptionKey & { digest: `0x${string}` } {
  const canonical = JSON.stringify({ id, ...order }, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  return {
    id: id ?? randomUUID(),
    address: order.address,
    digest: hashMessage(order.message),
    requestHash: createHash('sha256').update(canonical).digest('hex'),
  };
}
