import type { Endpoint } from '../../chain/endpoints/endpoints.ts';
import type { Head } from '../../chain/head.ts';
import type { MarketReader } from '../../chain/market-reader.ts';
import type { Rpc } from '../../chain/endpoints/rpc.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Hex } from 'viem';
import { createSignatureGasReader } from '../../chain/token/signature-gas.ts';
import { groupName, type LegGroup } from '../../ledger/lanes/leg-groups.ts';
import { releaseDueLegs, releaseDust } from '../../ledger/lanes/held-legs.ts';
import { type ClaimedLeg, releaseClaims, releaseLegs } from '../../ledger/lanes/legs.ts';
import { refuseUnsendable } from '../../ledger/lanes/lone-reverts.ts';
import { beginBackoffs, limitBackoffs } from '../../ledger/orders/account-backoffs.ts';
import { type NewTransaction, recordTransaction } from '../../ledger/lanes/transactions.ts';
import { recordedNow } from '../../ledger/lanes/unmined-transactions.ts';
import { chainFacts, largestTransactionGas } from '../../platform/chains.ts';
import type { Log } from '../../platform/log.ts';
import type { NetworkSettings } from '../../platform/settings.ts';
import type { Alarms } from '../alarms.ts';
import { createBatchPace } from './batches/batch-pace.ts';
import { countFitting } from './batches/batch-plan.ts';
import { createGasMoney } from './batches/gas-money.ts';
import { broadcast } from './broadcast.ts';
import { createClaims } from './claims.ts';
import { createGasBudget } from './gas-budget.ts';
import type { LegPossibility } from './leg-possibility.ts';
import { createLoneReverts } from './lone-reverts.ts';
import type { Nonces } from './nonces.ts';
import { createNumberCheck } from './tracking/number-check.ts';
import { createParkedScopes, laneScopes, type Obstacle } from './parked-scopes.ts';
import { type BatchCall, obstacleOf, prepareBatch, scopeOf } from './batches/prepare-batch.ts';
import type { WatchedSigner } from './watched-signer.ts';
import { tracesOf } from '../../ledger/orders/traces/order-traces.ts';
import { recordSent } from './transaction-spans.ts';

/** Transactions in flight at once: what go-ethereum's pool keeps for one account without conditions. */
const maxInFlight = 16;

/** What the sender of a lane needs. */
export interface LaneSenderDeps {
  ledger: Ledger;
  rpc: Rpc;
  /** Each endpoint of the network; without them, `rpc` alone. */
  endpoints?: readonly Endpoint[] | undefined;
  signer: WatchedSigner;
  network: NetworkSettings;
  market: Pick<MarketReader, 'forNew'>;
  head: Pick<Head, 'number'>;
  log: Log;
  alarms: Alarms;
  /** It outlives the sender, so that what it has learnt is not lost with an error. */
  legPossibility: LegPossibility;
  /** Called when more may be ready than this lane is about to send: another lane may take it. */
  onLeft?: (() => void) | undefined;
  /** The time in milliseconds; by default the process's clock. */
  now?: (() => number) | undefined;
}

/** The head when a batch is sent, and the gas that its token lets a signature check spend. */
interface BatchFacts {
  block: bigint;
  stipend: bigint;
}

/** Sends the transactions of a lane that holds its lock. */
export interface LaneSender {
  /**
   * Sends what is ready, as far as the lane has room and no batch waits for more legs ({@link createBatchPace}). `block` is the head; when it changes
   * meanwhile, what is in a block must be seen first. Returns the milliseconds after which the next look is due: 0 then, and else that of batches that wait, or of the rest during an import.
   */
  sendReady(block: bigint): Promise<number | undefined>;
  /** Whether the last look left something to the next block: for want of room, because it is parked, or because its account waits. */
  hasLeft(): boolean;
}

/**
 * The sending half of a lane that is held: claims ready legs in batches, and records each batch as a signed transaction before it
 * broadcasts it. Whoever gets an error from it drops the lane and begins anew from the ledger.
 */
export function createLaneSender(deps: LaneSenderDeps, nonces: Nonces): LaneSender {
  const { ledger, rpc, signer, network, log } = deps;
  const { chain, tokens } = network;
  const parked = createParkedScopes(deps);
  const signatureGas = createSignatureGasReader(rpc);
  const budget = createGasBudget(deps);
  const gasMoney = createGasMoney(deps);
  const loneReverts = createLoneReverts(deps);
  const claims = createClaims(deps, signatureGas);
  const numbers = createNumberCheck(deps);
  const pace = createBatchPace(network.blockTimeSeconds, deps.now);
  let preparedHead = -1n;
  /** Whether the network had held legs when the claims were prepared. */
  let hasHeld = false;
  let hasLeft = true;
  /** The head at which the contract has taken a batch, by scope. */
  const takenAt = new Map<string, bigint>();

  async function sendReady(block: bigint): Promise<number | undefined> {
    // Before the signer is asked: what it finds out does not need one, and its alarms end while the signer is silent.
    let looked = block === preparedHead ? undefined : await prepareClaims(block);
    hasLeft = false;
    if (!(await signer.signs())) return leave();
    parked.forgetOld();
    for (;;) {
      pace.begin(block);
      hasLeft = false;
      let mayBeMore = false;
      let waitMs: number | undefined;
      const groups = looked ?? (await claims.readyGroups());
      looked = undefined;
      for (const [index, group] of groups.entries()) {
        const waiting = parked.waiting();
        if (nonces.inFlight() >= maxInFlight || signer.outage() !== undefined || laneScopes.some((scope) => waiting.includes(scope)))
          return leave();
        if (waiting.includes(scopeOf([group]))) {
          leave();
          continue;
        }
        if (!group.isRetry && !pace.mayGo(groupName(group)) && !(await claims.fillsBatch(group))) {
          waitMs = pace.waitMs();
          continue;
        }
        const legs = await claimAllowed(group, block);
        if (legs.length === 0) {
          hasLeft = true;
          continue;
        }
        if (claims.wasFull(legs.length) || index < groups.length - 1) deps.onLeft?.();
        // What becomes ready meanwhile wakes the lane. Of what has reverted, and of an account that is a contract, a claim does not take all.
        mayBeMore ||= claims.wasFull(legs.length) || group.isRetry || group.signedBy === 'contract';
        if (!(await sendBatch(group, legs, block))) mayBeMore = true;
        if (deps.head.number() !== block) return 0;
      }
      if (!mayBeMore) return waitMs ?? claims.restMs();
    }
  }

  /** What this lane does not send now, another may. */
  function leave(): undefined {
    hasLeft = true;
    deps.onLeft?.();
  }

  async function claimAllowed(group: LegGroup, block: bigint): Promise<ClaimedLeg[]> {
    if (group.kind === 'issue' && !(await numbers.mayIssue(group.currency))) return [];
    // What is issued anyway takes dust along.
    if (hasHeld && group.kind === 'issue' && !group.isRetry) await releaseDust(ledger, chain, [group.currency], network.maxBatch);
    return claims.claim(group, block);
  }

  /** What changes with blocks and days, and not with each batch. Returns what is ready, unless that may have changed it. */
  async function prepareClaims(block: bigint): Promise<LegGroup[] | undefined> {
    const { duties, groups } = await claims.look();
    await loneReverts.review(block, duties.reverts);
    if (block < preparedHead || preparedHead < 0n) await limitBackoffs(ledger, chain, block);
    // A revert that was explained just now may let an account wait.
    if (duties.waits || duties.reverts) await beginBackoffs(ledger, chain, block);
    hasHeld = duties.heldLegs;
    if (hasHeld) await releaseDueLegs(ledger, chain, new Date(deps.now?.() ?? Date.now()));
    preparedHead = block;
    return duties.reverts || duties.waits || duties.heldLegs ? undefined : groups;
  }

  /** Returns whether all that was claimed is sent. */
  async function sendBatch(group: LegGroup, claimed: ClaimedLeg[], block: bigint): Promise<boolean> {
    const stipend = await signatureGas.read(tokens[group.currency] as Hex);
    const admitted = await budget.admit(claimed, stipend);
    const legs = admitted.slice(0, countFitting(admitted, limits, stipend));
    await releaseLegs(ledger, signer.address, admitted.slice(Math.max(1, legs.length)));
    if (legs.length === 0) {
      if (admitted[0]) await refuse(admitted[0]);
      return false;
    }
    // What contracts signed, and what has reverted, is tried batch by batch: it may be the doing of an account.
    const isTried = takenAt.get(scopeOf(legs)) === block && group.signedBy !== 'contract' && !group.isRetry;
    const prepared = await prepareBatch({ ...deps, signatureGas, gasMoney, nonces }, legs, isTried);
    if ('tooLarge' in prepared) {
      claims.halve(group, legs.length);
      return giveBack();
    }
    if ('obstacle' in prepared) return giveBack(prepared.obstacle);
    takenAt.set(scopeOf(legs), block);
    parked.unpark(scopeOf(legs));
    for (const scope of laneScopes) parked.unpark(scope);
    claims.grow(group);
    // Of what contracts signed only the batch itself shows that it was full: the next goes at once.
    if (group.signedBy !== 'contract' || !claims.wasFull(claimed.length)) pace.sent(groupName(group), legs.length);
    return (await signAndSend(legs, prepared.call, { block, stipend })) && legs.length === claimed.length;
  }

  async function signAndSend(
    legs: ClaimedLeg[],
    { to, data, gasLimit, fees, mostWei }: BatchCall,
    { block, stipend }: BatchFacts,
  ): Promise<boolean> {
    const [{ kind, currency }] = legs as [ClaimedLeg];
    const startedAt = Date.now();
    const nonce = nonces.next();
    const { id: chainId } = chainFacts(chain);
    const unsigned = { type: 'eip1559', chainId, nonce: Number(nonce), to, data, gas: gasLimit, ...fees } as const;
    // Nothing is recorded before this: without a signature the legs go to another lane, or out under the same nonce later.
    const signed = await signer.sign(unsigned).catch(() => undefined);
    if (!signed) return giveBack();
    const recorded: NewTransaction = {
      chain,
      signer: signer.address,
      nonce,
      kind,
      currency,
      gasLimit,
      sentAtBlock: block,
      attempt: { ...signed, ...fees },
      legs: legs.map(({ id }) => id),
      budget: budget.spending(legs, mostWei, stipend),
    };
    const transaction = await recordTransaction(ledger, recorded);
    nonces.take(recordedNow(transaction, recorded));
    const facts = { signer: signer.address, nonce: nonce.toString(), txHash: signed.hash, kind, currency, legs: legs.length };
    const traces = tracesOf(legs.map(({ orderId, correlationId }) => ({ id: orderId, correlationId })));
    log.info({ ...facts, ...traces }, 'transaction sent');
    const refused = await broadcast(deps, { ...signed, traces });
    recordSent({ transaction, chain, ...facts }, legs, { startedAt, refusal: refused?.text });
    return true;
  }

  /** An order that no transaction of the network can carry holds up no other. */
  async function refuse(leg: ClaimedLeg): Promise<void> {
    const reason = `it needs more gas or bytes than a transaction on ${chain} can have`;
    if (await refuseUnsendable(ledger, leg.id, reason))
      log.error({ orderId: leg.orderId, correlationId: leg.correlationId, reason }, 'an order is refused');
    else await giveBack(obstacleOf([leg], `the order ${leg.orderId} was sent before, and now ${reason}`));
  }

  /** Nothing was sent: the legs stay ready, for another lane too. */
  async function giveBack(obstacle?: Obstacle): Promise<false> {
    await releaseClaims(ledger, chain, signer.address);
    if (obstacle) parked.park(obstacle);
    return false;
  }

  const { transactionBytes, blockRecoveries } = chainFacts(chain);
  const limits = { gas: largestTransactionGas(chain), bytes: transactionBytes, recoveries: blockRecoveries };
  return { sendReady, hasLeft: () => hasLeft };
}
