import type { EndpointAnswers } from '../../chain/evidence/endpoint-answers.ts';
import type { Head } from '../../chain/head.ts';
import { type LaneKey, liveNonces, recordedNonces, transactionOfAttempt } from '../../ledger/lanes/lane-nonces.ts';
import { forgetReverts, limitSentBlocks, reopenFrom } from '../../ledger/lanes/mined-transactions.ts';
import { markFailed } from '../../ledger/lanes/transactions.ts';
import { type OpenTransaction, unminedTransactions } from '../../ledger/lanes/unmined-transactions.ts';
import { tracesOfTransaction } from '../../ledger/orders/traces/order-traces.ts';
import { logFailedAnswer } from './tracking/failed-answer.ts';
import { alarmGaps } from './fill-gaps.ts';
import { createMinedChecks } from './tracking/mined-checks.ts';
import { findNonceUser } from './tracking/nonce-user.ts';
import { type Nonces, widestGap } from './nonces.ts';
import { createOutsideUse } from './tracking/outside-use.ts';
import { handleUnmined, marketOnce } from './replace-unmined.ts';
import type { ReceiptDeps } from './tracking/record-receipt.ts';
import { createTransactionCount, type PlausibleCount } from './tracking/transaction-count.ts';
import { clearUnminedAlarms } from './unmined-alarms.ts';
import type { UnminedDeps } from './unmined-deps.ts';
import { createUsedNonces } from './tracking/used-nonces.ts';
import { createSignerCode } from './tracking/signer-code.ts';

/** What the tracking of transactions needs. */
export interface TrackerDeps extends UnminedDeps, ReceiptDeps {
  head: Pick<Head, 'number' | 'ancestor' | 'reorganisations'>;
  /** Receipts that the endpoints have shown to others of the worker; by default nobody else asks. */
  answers?: EndpointAnswers | undefined;
}

/** Tracks the transactions of a lane that is held. */
export interface Tracker {
  /** Whether there is something to do at the head `block`: it is another block, or an answer was in doubt. */
  isDue(block: bigint): boolean;
  /**
   * Looks at the transactions of the lane that are in no block, and takes the nonces anew from the chain's count. That takes one request per block, a
   * few for the transactions in the pool, and one or two for each that was mined. Returns whether the nonces are known, so that the
   * lane may send. A node that does not answer changes nothing.
   */
  track(block: bigint): Promise<boolean>;
}

/** Creates the tracker of a lane that was just taken; it keeps `nonces` up to date. In its first pass it rebroadcasts what is in no block. */
export function createTracker(deps: TrackerDeps, nonces: Nonces): Tracker {
  const { ledger, rpc, endpoints, signer, network, head, log } = deps;
  const lane: LaneKey = { chain: network.chain, signer: signer.address };
  const counts = createTransactionCount(deps);
  const signerCode = createSignerCode(deps);
  const outsideUse = createOutsideUse({ ...deps, onReport: () => signerCode.suspect() });
  const usedNonces = createUsedNonces({ ...deps, outsideUse });
  const minedChecks = createMinedChecks(deps);
  let trackedHead: bigint | undefined;
  let trackedReorganisations = head.reorganisations();
  /** The count of the last pass. */
  let lastCount: bigint | undefined;
  /** Whether the last pass may have left a transaction in no block. Nobody but the lane records one. */
  let leftSent = true;
  /** No transaction that was mined has this nonce or a higher one; undefined before the first pass. */
  let minedBelow: bigint | undefined;
  /** Whether more transactions are to be reopened than one pass does. */
  let isReopening = true;

  async function track(block: bigint): Promise<boolean> {
    let sent = leftSent ? await unminedTransactions(ledger, lane) : nonces.taken();
    const plausible = await plausibleCount(sent, lastCount);
    const count = await counts.read(plausible).catch((error: unknown) => logFailedAnswer(log, error));
    if (count === undefined) return lastCount !== undefined;
    if (count > plausible.upTo) await reportOutsideUse({ from: plausible.upTo, upTo: count - 1n }, block);
    if (trackedHead !== undefined && block < trackedHead) await limitSentBlocks(ledger, lane, block);
    const reopened = isReopening || count < (lastCount ?? 0n) ? await reopen(count, block) : [];
    if (reopened.length > 0) sent = await unminedTransactions(ledger, lane);
    if (head.reorganisations() !== trackedReorganisations) {
      usedNonces.forget();
      minedChecks.recheck();
    }
    trackedReorganisations = head.reorganisations();
    const used = sent.filter(({ nonce }) => nonce < count);
    const unmined = sent.slice(used.length);
    const areExplained = await usedNonces.resolve(used, block);
    await look(unmined, block, reopened);
    const haveChanged = await minedChecks.run(block, used.length > 0);
    leftSent = haveChanged || unmined.length > 0 || !areExplained;
    // What was mined is live only where a reorganisation took its nonce away.
    const isKnown = minedBelow !== undefined && count >= minedBelow && !haveChanged;
    nonces.update(count, isKnown ? unmined.map(({ nonce }) => nonce) : await readLive(count));
    await giveUpOutOfReach(sent);
    alarmGaps(deps, nonces);
    outsideUse.expire(block);
    await signerCode.run(block);
    if (minedBelow !== undefined && count > minedBelow) minedBelow = count;
    lastCount = count;
    trackedHead = block;
    return true;
  }

  /** In the first pass the ledger alone says what is plausible; then the last count, and as many more as were sent one after the other. */
  async function plausibleCount(sent: readonly OpenTransaction[], last: bigint | undefined): Promise<PlausibleCount> {
    const recorded = last === undefined ? await recordedNonces(ledger, lane) : undefined;
    const from = last ?? recorded?.lowestSent ?? (recorded?.highestOurs ?? -1n) + 1n;
    const nonces = new Set(sent.map(({ nonce }) => nonce));
    let upTo = from;
    while (nonces.has(upTo)) upTo += 1n;
    const afterAll = (recorded?.highest ?? -1n) + 1n;
    return { from, upTo: sent.length === 0 && afterAll > upTo ? afterAll : upTo };
  }

  async function readLive(count: bigint): Promise<bigint[]> {
    const live = await liveNonces(ledger, lane, count);
    const above = (live.at(-1) ?? count - 1n) + 1n;
    if (minedBelow === undefined || above > minedBelow) minedBelow = above;
    return live;
  }

  /** A reorganisation took blocks away: what was in them is in none, and is broadcast again. Returns the ids. */
  async function reopen(count: bigint, block: bigint): Promise<string[]> {
    const reopened = await reopenFrom(ledger, lane, { from: count, atBlock: block, limit: widestGap });
    await forgetReverts(ledger, lane, count);
    isReopening = reopened.length === widestGap;
    for (const { id, nonce, wasSettled } of reopened) {
      const facts = { signer: signer.address, nonce: nonce.toString(), ...(await tracesOfTransaction(ledger, id)) };
      if (wasSettled) log.error(facts, 'a reorganisation took away a transaction whose legs have ended: it is sent again');
      else log.warn(facts, 'a reorganisation took the transaction away: it is sent again');
    }
    return reopened.map(({ id }) => id);
  }

  async function look(unmined: readonly OpenTransaction[], block: bigint, reopened: readonly string[]): Promise<void> {
    const market = marketOnce(deps);
    clearUnminedAlarms(deps, unmined);
    for (const [index, transaction] of unmined.entries()) {
      const isFirstPass = trackedHead === undefined || reopened.includes(transaction.id);
      const state = { block, isFirstPass, isLowest: index === 0, market };
      await handleUnmined(deps, transaction, state).catch((error: unknown) => logFailedAnswer(log, error, transaction.nonce));
    }
  }

  /** A signer of which the ledger knows nothing was used before; only a use between its own transactions is an alarm. */
  async function reportOutsideUse(used: { from: bigint; upTo: bigint }, block: bigint): Promise<void> {
    const { highest } = await recordedNonces(ledger, lane);
    if (highest === null) return;
    const user = await findNonceUser(rpc, { signer: signer.address, nonce: used.from, head: block, endpoints });
    if (user?.hash && (await transactionOfAttempt(ledger, user.hash)) !== undefined) return;
    outsideUse.report({ ...used, user }, block);
  }

  /** What waits for more free nonces than are filled will never be mined: its legs go out with lower nonces. */
  async function giveUpOutOfReach(sent: readonly OpenTransaction[]): Promise<void> {
    const first = nonces.outOfReach();
    if (first === undefined) return;
    for (const { id, nonce, attempts } of sent.filter((transaction) => transaction.nonce >= first)) {
      const facts = { signer: signer.address, nonce: nonce.toString(), txHash: attempts[0]?.hash };
      log.error(
        { ...facts, ...(await tracesOfTransaction(ledger, id)) },
        'the nonce is far above what the chain has used: the legs are ready again',
      );
      await markFailed(ledger, id, { state: 'lost' });
    }
    nonces.update(nonces.count(), await readLive(nonces.count()));
  }

  return {
    isDue: (block) => block !== trackedHead || counts.isDoubtful() || head.reorganisations() !== trackedReorganisations,
    track,
  };
}
