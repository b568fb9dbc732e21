import { type Hex, parseTransaction } from 'viem';
import { createEndpoints, rpcQuorum } from '../../chain/endpoints.ts';
import type { ConfirmedBlock } from '../../chain/evidence/confirmed-block.ts';
import { createEvidence, type Evidence } from '../../chain/evidence/evidence.ts';
import { answerOrRefusal } from '../../chain/node-answer.ts';
import type { Rpc } from '../../chain/rpc.ts';
import { isItemDecided } from '../../chain/token/item-effect.ts';
import { type TokenCall, tryTokenCall } from '../../chain/token/trial-call.ts';
import {
  countFailingLegs,
  explainRevert,
  type FailingLeg,
  giveUpLeg,
  listFailingLegs,
  listUnexplainedReverts,
  resendFailingLeg,
  type UnexplainedRevert,
} from '../../ledger/lanes/lone-reverts.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Log } from '../../platform/log.ts';
import type { NetworkSettings } from '../../platform/settings.ts';
import type { Alarms } from '../alarms.ts';

interface LoneRevertDeps {
  ledger: Ledger;
  rpc: Rpc;
  network: NetworkSettings;
  log: Log;
  alarms: Alarms;
  /** By default that of the network's endpoints. */
  evidence?: Evidence | undefined;
}

/** Looks into batches of one leg that reverted, and gives a leg up that did so three times for no reason but its own. */
export interface LoneReverts {
  /** Looks into what is new. `block` is the head. Throws when a node does not answer. */
  review(block: bigint): Promise<void>;
}

/** The reason with which the order of a leg ends that was given up. */
const givenUpReason = 'its transaction reverted three times, although it carried no other order';

/** Creates the review of a lane's lone reverts. */
export function createLoneReverts(deps: LoneRevertDeps): LoneReverts {
  const { ledger, network, alarms } = deps;
  const { chain } = network;
  let ownEvidence: Evidence | undefined;
  return {
    async review(block) {
      for (const revert of await listUnexplainedReverts(ledger, chain)) await explainRevert(ledger, revert, await explain(deps, revert));
      const { count, orderId, reverts } = await countFailingLegs(ledger, chain);
      if (count === 0) return alarms.clear('repeated_reverts', chain);
      const text = `${count} orders revert in transactions of their own, that of ${orderId} ${reverts} times; after three times they are rejected once that is final`;
      alarms.raise('repeated_reverts', chain, text);
      const failing = await listFailingLegs(ledger, chain);
      if (failing.length === 0) return;
      const evidence = (ownEvidence ??= deps.evidence ?? createEvidence(network, createEndpoints(network)));
      // Asked once: an endpoint that hangs would hold up the lane for each leg.
      const confirmed = await evidence.confirmedBlock(block);
      for (const leg of failing) await decide(deps, leg, await canStillHappen(network, confirmed, leg));
    },
  };
}

/**
 * Replays the call of a reverted transaction before and behind its block. A reason that concerns the whole call, such as a pause, does not count
 * against the leg. Neither does a block whose state no node has any more: in doubt a leg is sent again.
 */
async function explain({ rpc, log }: LoneRevertDeps, revert: UnexplainedRevert): Promise<{ reason: string; counts: boolean }> {
  const call = callOf(revert);
  for (const block of [revert.blockNumber, revert.blockNumber - 1n]) {
    const replay = await answerOrRefusal(
      () => tryTokenCall(rpc, call, block),
      () => rpc.getBlockNumber({ cacheTime: 0 }),
    );
    if ('refusal' in replay) return { reason: `unknown: ${replay.refusal}`, counts: false };
    if (replay.answer.verdict === 'refused') return { reason: replay.answer.reason, counts: false };
  }
  log.error({ txHash: revert.txHash, leg: revert.leg }, 'a transaction with one order reverted, and the token would have taken it');
  return { reason: 'the token contract takes the call, and yet the transaction reverted', counts: true };
}

function callOf({ raw, signer }: UnexplainedRevert): TokenCall {
  const { to, data = '0x', gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(raw);
  return { from: signer, to: to as Hex, data, gas, maxFeePerGas, maxPriorityFeePerGas };
}

/** Whether a leg has happened or can happen: by the chain at a block that the confirmation policy covers. */
type Possibility = 'never' | 'happened' | 'open';

/**
 * A leg can never happen once, in a block that is final by the policy, every nonce of its transactions is used and the contract has neither decided
 * its message nor its sequence number; nor has it since, because somebody else with an operator's key sent them. As many endpoints as the quorum must say so; while fewer do, it stays open.
 */
async function canStillHappen(network: NetworkSettings, { upTo, answers }: ConfirmedBlock, leg: FailingLeg): Promise<Possibility> {
  if (upTo === undefined) return 'open';
  const usable = answers.flatMap((answer) => (answer.state === 'usable' && answer.upTo >= upTo ? [answer.endpoint.rpc] : []));
  const witnesses = usable.slice(0, rpcQuorum(network));
  // An endpoint that does not answer, or no longer has the state of that block, proves nothing.
  const said = await Promise.all(witnesses.map((rpc) => possibilityAt(rpc, leg, upTo).catch(() => 'open' as const)));
  if (said.length < rpcQuorum(network) || said.some((possibility) => possibility !== said[0])) return 'open';
  return said[0] ?? 'open';
}

async function possibilityAt(rpc: Rpc, leg: FailingLeg, block: bigint): Promise<Possibility> {
  const [isDecided, isDecidedNow, ...isUsed] = await Promise.all([
    isItemDecided(rpc, leg.item, block),
    isItemDecided(rpc, leg.item, 'latest'),
    ...leg.nonces.map(async ({ signer, nonce }) => BigInt(await rpc.getTransactionCount({ address: signer, blockNumber: block })) > nonce),
  ]);
  if (!isUsed.every(Boolean) || isDecided !== isDecidedNow) return 'open';
  return isDecided ? 'happened' : 'never';
}

async function decide({ ledger, log }: LoneRevertDeps, leg: FailingLeg, possibility: Possibility): Promise<void> {
  const facts = { leg: leg.id, orderId: leg.orderId };
  if (possibility === 'open') return;
  if (possibility === 'happened') {
    log.error(facts, 'an order whose transactions reverted was carried out: it is sent once more, so that its outcome ends it');
    return resendFailingLeg(ledger, leg.id);
  }
  if (await giveUpLeg(ledger, leg, givenUpReason)) log.error(facts, 'an order is given up: its transaction reverted three times');
}
