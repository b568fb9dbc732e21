import { sql } from 'kysely';
import type { Send } from '../../platform/postgres/pipelined-transaction.ts';
import { type Caller, profilesOf } from '../access/permissions.ts';
import { redemptionLock, takeLock } from '../advisory-locks.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { OrderFacts } from './events.ts';
import { findOrder } from './orders.ts';
import type { Order } from './orders-in-state.ts';
import { availableTo } from './placement/decide-requests.ts';
import type { RedemptionDraft } from './placement/insert-redemptions.ts';
import { readHoldings } from './placement/read-facts.ts';
import type { ReadHoldings, RedemptionRequest } from './placement/redemption-request.ts';
import { messageUsed, orderConflict, requireBalance } from './redemption-rules.ts';
import { decideSignature, requestSignature } from './signature-requests.ts';

/** What makes two requests identical: the id that the client chose, and a hash of the whole request. */
export type RedemptionKey = Pick<RedemptionDraft, 'id' | 'address' | 'digest' | 'requestHash'>;

/** What a request has led to: an order, or a signature that is still being checked. */
export type PlacedRedemption = { order: OrderFacts; awaitsSignature: boolean } | { signatureRequest: string };

/**
 * What an identical earlier request has led to (docs/api.md, Placing an order: an idempotent retry). Throws `order_conflict`
 * when the id stands for anything else, without saying whose order that is.
 */
export async function findEarlier(ledger: Ledger, caller: Caller, key: RedemptionKey): Promise<PlacedRedemption | undefined> {
  const order = await findByKey(ledger, caller, key);
  if (order) return { order, awaitsSignature: await awaitsSignature(ledger, order.id) };
  const signatureRequest = await findRequest(ledger, caller, key);
  if (signatureRequest !== undefined) return { signatureRequest };
  // A verdict between the two looks has turned the request into its order.
  const decided = await findByKey(ledger, caller, key);
  return decided && { order: decided, awaitsSignature: await awaitsSignature(ledger, decided.id) };
}

/** An order whose contract account is asked for its signature, and what it is compared with. */
export interface RedemptionToBeSigned extends Pick<RedemptionRequest, 'openingBalance'> {
  draft: RedemptionDraft;
  readHoldings: ReadHoldings;
}

/**
 * Asks for a verdict on a contract's signature of an order that meets every rule. The request reserves the amount until its order does. Returns the
 * signature request's id. Throws `order_conflict`, `message_already_used`, `insufficient_balance`, `indexer_not_ready`, `rate_limited`.
 */
export async function requestRedemption(ledger: Ledger, { draft, openingBalance, readHoldings }: RedemptionToBeSigned): Promise<string> {
  const { digest, signature, correlationId } = draft;
  const id = await inTransaction(ledger, async (tx) => {
    // Other orders of the account were placed, or asked for, since this one was compared with what it holds.
    await requireCovered(tx, { draft, openingBalance }, readHoldings);
    return requestSignature(tx, { kind: 'order', draft, digest, signature, correlationId });
  });
  if (id === undefined) throw messageUsed();
  if (signature !== '0x' || (await hasOrder(ledger, id))) return id;
  // Another request for this message or this id was quicker: this one would wait for a signature that brings about nothing.
  await decideSignature(ledger, id, { state: 'invalid', reason: 'the message or the id belongs to another order' });
  throw messageUsed();
}

/** The order of a draft whose signature is valid, or is being waited for. Throws `order_conflict` or `message_already_used` when another one took its place. */
export async function requirePlaced(ledger: Ledger, caller: Caller, draft: RedemptionKey): Promise<Order> {
  const order = await findByKey(ledger, caller, draft);
  if (!order) throw messageUsed();
  return order;
}

async function findByKey(ledger: Ledger, caller: Caller, { id, requestHash }: RedemptionKey): Promise<Order | undefined> {
  const taken = await ledger.selectFrom('orders').where('id', '=', id).select('requestHash').executeTakeFirst();
  if (!taken) return undefined;
  const order = taken.requestHash?.toString('hex') === requestHash ? await findOrder(ledger, caller, id) : undefined;
  if (!order) throw orderConflict();
  return order;
}

/** A request that has no order yet. */
async function findRequest(ledger: Ledger, caller: Caller, key: RedemptionKey): Promise<string | undefined> {
  const request = await ledger
    .selectFrom('signatureRequests')
    .where('address', '=', key.address)
    .where('digest', '=', key.digest)
    .where('kind', '=', 'order')
    .where('state', '=', 'pending')
    .where('orderId', 'is', null)
    .where('profile', 'in', profilesOf(ledger, caller))
    .select(['id', sql<string>`draft ->> 'id'`.as('orderId'), sql<string>`draft ->> 'requestHash'`.as('requestHash')])
    .executeTakeFirst();
  if (request?.orderId !== key.id) return undefined;
  if (request.requestHash !== key.requestHash) throw orderConflict();
  return request.id;
}

async function hasOrder(ledger: Ledger, signatureRequest: string): Promise<boolean> {
  const row = await ledger.selectFrom('signatureRequests').where('id', '=', signatureRequest).select('orderId').executeTakeFirst();
  return row !== undefined && row.orderId !== null;
}

async function awaitsSignature(ledger: Ledger, orderId: string): Promise<boolean> {
  const row = await ledger
    .selectFrom('signatureRequests')
    .where('orderId', '=', orderId)
    .where('state', '=', 'pending')
    .select('id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Requires that what the address of a request holds covers it besides all that is reserved there, and keeps others from reserving more until the
 * transaction ends. Throws `insufficient_balance`, `indexer_not_ready`.
 */
async function requireCovered(
  tx: LedgerTransaction,
  request: Pick<RedemptionRequest, 'draft' | 'openingBalance'>,
  read: ReadHoldings,
): Promise<void> {
  const { draft } = request;
  await takeLock(tx, redemptionLock(draft.address));
  const send = inTurn(tx);
  const available = async (reserved: 'all' | 'not burnt') =>
    availableTo(request, await readHoldings(send, [draft], reserved, read), new Map());
  // Most are covered besides the sum of all open orders, which is read quickly.
  if ((await available('all')) < BigInt(draft.amount)) requireBalance(draft, await available('not burnt'));
}

/** Sends one statement after the other: the connection of this transaction is not pipelined. */
function inTurn(tx: LedgerTransaction): Send {
  let before: Promise<unknown> = Promise.resolve();
  return async (statement) => {
    const answer = before.then(() => statement.execute(tx));
    before = answer.catch(() => {});
    return (await answer).rows;
  };
}
