import { type Hex, TransactionNotFoundError } from 'viem';
import type { AgreedMarket } from '../../chain/agreed-market.ts';
import { type OpenTransaction, rawTransaction, forgetRefusals } from '../../ledger/lanes/unmined-transactions.ts';
import { tracesOfTransaction } from '../../ledger/orders/traces/order-traces.ts';
import { messageOf } from '../../platform/errors.ts';
import { blocksSince } from './blocks-since.ts';
import { broadcast, type BroadcastResult } from './broadcast.ts';
import { countRefusal } from './cancel-refused.ts';
import { followMarket, lowerOffer, raiseOffer } from './replace-offer.ts';
import { unminedAlarms } from './unmined-alarms.ts';
import type { UnminedDeps } from './unmined-deps.ts';

/** Blocks without being mined after which a transaction is looked for in the pools: it may have been dropped. */
const lookAfterBlocks = 2n;

/** Blocks after which a transaction may offer more: until then what it offers has hardly been tried. */
const raiseAfterBlocks = 3n;

/**
 * Of transactions that wait for a lower nonce, each is looked at once in so many blocks, and in so many looks one broadcasts without asking
 * first: a node may say that it has a transaction, and keep it to itself.
 */
const lookPeriod = 8n;

/** What is known of a transaction whose nonce the chain has not used. */
export interface UnminedState {
  /** The head. */
  block: bigint;
  isFirstPass: boolean;
  /** Whether no transaction with a lower nonce is unmined: this one alone holds up all others. */
  isLowest: boolean;
  /** The market, once for all transactions of a pass; undefined when no node tells it. */
  market: () => Promise<AgreedMarket | undefined>;
}

/**
 * Looks after a transaction that is in no block: keeps it in the pools, lets it offer what the market asks for, and answers the nodes' refusals,
 * each in its own way (docs/operations/networks.md, Fees).
 */
export async function handleUnmined(deps: UnminedDeps, transaction: OpenTransaction, state: UnminedState): Promise<void> {
  const { block, isFirstPass, isLowest } = state;
  const isLookDue = isLowest || (block + transaction.nonce) % lookPeriod === 0n;
  if (isFirstPass || (isLookDue && blocksSince(transaction.sentAtBlock, block) >= lookAfterBlocks))
    await keepInPools(deps, transaction, state);
}

/** Reads the market for the transactions of a pass, at most once, from all endpoints: one may be why they are in no block. An answer that fails stops neither tracking nor rebroadcasts. */
export function marketOnce(deps: Pick<UnminedDeps, 'market' | 'log'>): UnminedState['market'] {
  let read: Promise<AgreedMarket | undefined> | undefined;
  return () => {
    read ??= deps.market.forUnmined().catch((error: unknown) => {
      deps.log.warn({ err: messageOf(error) }, 'the node does not tell its fees: transactions stay as they are');
      return undefined;
    });
    return read;
  };
}

async function keepInPools(deps: UnminedDeps, transaction: OpenTransaction, state: UnminedState): Promise<void> {
  const { block } = state;
  const alarms = unminedAlarms(deps, transaction);
  const refusal = (await isInPool(deps, transaction, block)) ? undefined : await rebroadcast(deps, transaction);
  alarms.answered(refusal);
  alarms.waiting(block, refusal);
  if (transaction.refusals > 0 && isAboutSomethingElse(refusal)) await forgetRefusals(deps.ledger, transaction.id);
  await answerRefusal(deps, transaction, refusal, { block, market: await state.market() });
}

/** Receipts tell what has used a nonce, the tracker fills gaps, the operator sends gas money, and what is unclear is an outage: nothing to do here. */
async function answerRefusal(
  deps: UnminedDeps,
  transaction: OpenTransaction,
  refusal: BroadcastResult,
  { block, market }: { block: bigint; market: AgreedMarket | undefined },
): Promise<void> {
  if (refusal?.kind === 'invalid') return countRefusal(deps, transaction, block, market);
  if (!market) return;
  if (refusal?.kind === 'capped') {
    const isLowered = await lowerOffer(deps, transaction, market, block, refusal);
    if (!isLowered) await countRefusal(deps, transaction, block, market);
  }
  if (blocksSince(transaction.sentAtBlock, block) < raiseAfterBlocks) return;
  if (refusal === undefined) await followMarket(deps, transaction, market, block);
  if (refusal?.kind === 'underpriced' || refusal?.kind === 'replacement_underpriced') await raiseOffer(deps, transaction, market, block);
}

/** A refusal for good counts only in a row with others. An outage is no answer. */
function isAboutSomethingElse(refusal: BroadcastResult): boolean {
  return refusal?.kind !== 'invalid' && refusal?.kind !== 'capped' && refusal?.kind !== 'unclear';
}

/** Whether a node has the newest attempt. One that does not answer has not. */
async function isInPool({ rpc, log }: UnminedDeps, { attempts, nonce }: OpenTransaction, block: bigint): Promise<boolean> {
  if ((block + nonce) % lookPeriod === 0n) return false;
  try {
    await rpc.getTransaction({ hash: attempts[0]?.hash as Hex });
    return true;
  } catch (error) {
    if (!(error instanceof TransactionNotFoundError))
      log.warn({ err: messageOf(error) }, 'the node does not tell whether it has a transaction');
    return false;
  }
}

async function rebroadcast(deps: UnminedDeps, { id, attempts }: OpenTransaction): Promise<BroadcastResult> {
  const hash = attempts[0]?.hash as string;
  return broadcast(deps, { hash, raw: await rawTransaction(deps.ledger, hash), traces: await tracesOfTransaction(deps.ledger, id) });
}
