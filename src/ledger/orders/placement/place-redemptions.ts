import type { Pool } from 'pg';
import { isDatabaseOutage } from '../../../platform/database.ts';
import { groupCalls } from '../../../platform/limits/grouped-calls.ts';
import { inPipelinedTransaction, type PipelinedDatabase, type Send } from '../../../platform/postgres/pipelined-transaction.ts';
import { fileUseLock, type LockName, lockStatement, redemptionLock } from '../../advisory-locks.ts';
import type { Ledger } from '../../ledger.ts';
import { laneQueue } from '../../wake-ups.ts';
import type { OrderFacts } from '../events.ts';
import { insertRedemptions } from './insert-redemptions.ts';
import { type Decision, decideRequests } from './decide-requests.ts';
import { readExisting, readFacts, readHoldings } from './read-facts.ts';
import { type PlacementResult, type ReadHoldings, type RedemptionRequest } from './redemption-request.ts';

/** Requests that are placed in one transaction at most: its locks are held for as long as it takes. */
const largestGroup = 200;

/** Requests that wait at most: some seconds' work. */
const mostWaiting = 2_000;

/** How often a group is tried: after the second time only another race, or a lasting outage, is in the way. */
const attempts = 3;

/** A group is tried again within so many milliseconds only: after a connection's timeout its callers have waited long enough. */
const repeatableMs = 2_000;

/** Places a redemption, or says what stands against it. Throws what is no answer, such as an outage of the database, and `rate_limited`. */
export type PlaceRedemption = (request: RedemptionRequest) => Promise<PlacementResult>;

/** What {@link createRedemptionPlacement} works with. */
export interface PlacementDependencies {
  ledger: Ledger;
  /** Connections that send pipelined. */
  pool: Pool;
  readHoldings: ReadHoldings;
}

/**
 * Places redemptions in groups: those that are requested while one group is placed are the next one. A group costs two round trips to the database,
 * whether it has one request or many: locks and what is to be known, then orders and the commit. A killed process has placed a group whole or not at all,
 * but for lost redemptions, each of which is placed after it in a group of its own.
 */
export function createRedemptionPlacement(dependencies: PlacementDependencies): PlaceRedemption {
  return groupCalls((requests: readonly RedemptionRequest[]) => placeGroup(dependencies, requests), {
    mostItems: largestGroup,
    mostWaiting,
    ownerOf: ({ caller }) => caller.application,
    concernsAll: isDatabaseOutage,
  });
}

/**
 * Whether the burn of a lost redemption is in the indexed balance already is known only once its order is placed. So it is placed alone, after the others.
 * What was placed before an error is found by its id when the group is placed again.
 */
async function placeGroup(dependencies: PlacementDependencies, requests: readonly RedemptionRequest[]): Promise<PlacementResult[]> {
  const results = await placeOrRepeat(dependencies, requests);
  const inOrder: PlacementResult[] = [];
  for (const [index, result] of results.entries()) {
    if (result.kind === 'alone') inOrder.push(...(await placeGroup(dependencies, requests.slice(index, index + 1))));
    else inOrder.push(result);
  }
  return inOrder;
}

async function placeOrRepeat(dependencies: PlacementDependencies, requests: readonly RedemptionRequest[]): Promise<GroupResult[]> {
  const repeatableUntil = performance.now() + repeatableMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryGroup(dependencies, requests);
    } catch (error) {
      // Placing again is safe: what an attempt has placed, though its answer was lost, is found by its id.
      if (attempt === attempts || performance.now() > repeatableUntil || !mayPassNextTime(error)) throw error;
    }
  }
}

/** A result of a group of several, or that the request is to be placed in a group of its own. */
type GroupResult = PlacementResult | { kind: 'alone' };

/**
 * 23505: another process used an id or a message first. 0A000 and 25P02: a statement was prepared before a migration. 42P01 and 3F000: the tables of an index were
 * there before, and are gone.
 */
function mayPassNextTime(error: unknown): boolean {
  return isDatabaseOutage(error) || ['23505', '0A000', '25P02', '42P01', '3F000'].includes((error as { code?: string }).code ?? '');
}

async function tryGroup(
  { ledger, pool, readHoldings: read }: PlacementDependencies,
  requests: readonly RedemptionRequest[],
): Promise<GroupResult[]> {
  const database: PipelinedDatabase = { pool, database: ledger };
  const { decisions, placed } = await inPipelinedTransaction(database, async ({ send, commit }) => {
    const decided = await decide(send, requests, read);
    const redemptions = decided.flatMap((decision) => (decision.kind === 'place' ? [decision.redemption] : []));
    if (redemptions.length === 0) return { decisions: decided, placed: [] };
    const [orders] = await Promise.all([send(insertRedemptions(redemptions, 'fails')), commit()]);
    return { decisions: decided, placed: orders };
  });
  // A wake-up for each chain, not for each order: the ledger wakes a queue once.
  ledger.wakeUps.add(...placed.map(({ chain }) => laneQueue(chain)));
  const orders = new Map(placed.map((order) => [order.id, order]));
  return decisions.map((decision) => resultOf(decision, orders));
}

async function decide(send: Send, requests: readonly RedemptionRequest[], read: ReadHoldings): Promise<Decision[]> {
  const holders = requests.map(({ draft }) => draft);
  const [, ofRequests, sufficient] = await Promise.all([
    send(lockStatement(locksOf(requests))),
    readFacts(send, requests),
    readHoldings(send, holders, 'all', read),
  ]);
  const existing = ofRequests.some(({ isIdTaken }) => isIdTaken) ? await readExisting(send, requests) : new Map();
  const decisions = decideRequests(requests, { ofRequests, holdings: sufficient, existing });
  const short = requests.filter((_, index) => isShort(decisions[index]));
  if (short.length === 0) return decisions;
  // What the sum of all open orders leaves is too little, so it is worth a look which of them are burnt in the balance already.
  const exact = await readHoldings(
    send,
    short.map(({ draft }) => draft),
    'not burnt',
    read,
  );
  return decideRequests(requests, { ofRequests, holdings: new Map([...sufficient, ...exact]), existing });
}

function isShort(decision: Decision | undefined): boolean {
  return decision?.kind === 'error' && decision.error.code === 'insufficient_balance';
}

/** The locks of all who sign by a key, because two transactions must not spend the same tokens, and those of the files that requests name. */
function locksOf(requests: readonly RedemptionRequest[]): LockName[] {
  const holders = requests.flatMap(({ isSignedByKey, draft }) => (isSignedByKey ? [redemptionLock(draft.address)] : []));
  const files = requests.flatMap(({ draft }) => (draft.supportingDocument === null ? [] : [fileUseLock(draft.supportingDocument)]));
  return [...new Set([...holders, ...files])];
}

function resultOf(decision: Decision, placed: ReadonlyMap<string, OrderFacts>): GroupResult {
  if (decision.kind !== 'place' && decision.kind !== 'same as') return decision;
  const id = decision.kind === 'place' ? decision.redemption.draft.id : decision.id;
  const order = placed.get(id);
  if (order === undefined) throw new Error(`The order ${id} is missing among those that were placed`);
  return { kind: 'order', order, awaitsSignature: false, isNew: decision.kind === 'place' };
}
