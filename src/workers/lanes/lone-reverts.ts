import { type Hex, parseTransaction } from 'viem';
import { answerOrRefusal } from '../../chain/node-answer.ts';
import type { Rpc } from '../../chain/endpoints/rpc.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import { describeContractError } from '../../chain/token/contract-errors.ts';
import { type TokenCall, tryTokenCall } from '../../chain/token/trial-call.ts';
import {
  countFailingLegs,
  explainRevert,
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
import type { FinalLeg, LegPossibility } from './leg-possibility.ts';

interface LoneRevertDeps {
  ledger: Ledger;
  rpc: Rpc;
  signer: Pick<Signer, 'address'>;
  network: NetworkSettings;
  log: Log;
  alarms: Alarms;
  legPossibility: LegPossibility;
}

/** Looks into batches of one leg that reverted, and gives a leg up that did so three times for no reason but its own. */
export interface LoneReverts {
  /** Looks into what is new, when there is something to look into (`isNeeded`). `block` is the head. Throws when a node does not answer. */
  review(block: bigint, isNeeded: boolean): Promise<void>;
}

/** The reason with which the order of a leg ends that was given up. */
const givenUpReason = 'its transaction reverted three times, although it carried no other order';

/** Creates the review of a lane's lone reverts. */
export function createLoneReverts(deps: LoneRevertDeps): LoneReverts {
  const { ledger, network, signer, alarms, legPossibility } = deps;
  const { chain } = network;
  const subject = `${chain} ${signer.address}`;
  return {
    async review(block, isNeeded) {
      if (!isNeeded) return alarms.clear('repeated_reverts', subject);
      for (const revert of await listUnexplainedReverts(ledger, chain)) await explainRevert(ledger, revert, await explain(deps, revert));
      const { count, orderId, reverts } = await countFailingLegs(ledger, chain);
      if (count === 0) return alarms.clear('repeated_reverts', subject);
      const text = `${count} orders revert in transactions of their own, that of ${orderId} ${reverts} times; after three times they are rejected once that is final`;
      alarms.raise('repeated_reverts', subject, text);
      const failing = await listFailingLegs(ledger, chain);
      if (failing.length === 0) return;
      for (const final of await legPossibility.examine(failing, block)) await decide(deps, final);
    },
  };
}

/**
 * Replays the call of a reverted transaction before and behind its block. A reason that concerns the whole call, such as a pause, does not count
 * against the leg. Neither does a block whose state no node has any more: in doubt a leg is sent again.
 */
async function explain({ rpc, log, network }: LoneRevertDeps, revert: UnexplainedRevert): Promise<{ reason: string; counts: boolean }> {
  const call = callOf(revert);
  for (const block of [revert.blockNumber, revert.blockNumber - 1n]) {
    const replay = await answerOrRefusal(
      () => tryTokenCall(rpc, call, block),
      () => rpc.getBlockNumber({ cacheTime: 0 }),
    );
    if ('refusal' in replay) return { reason: `unknown: ${replay.refusal}`, counts: false };
    if (replay.answer.verdict === 'refused') {
      const token = { chain: network.chain, currency: revert.currency };
      return { reason: describeContractError(replay.answer.revert, token), counts: false };
    }
  }
  const { txHash, leg: legId, orderId, correlationId } = revert;
  log.error({ txHash, legId, orderId, correlationId }, 'a transaction with one order reverted, and the token would have taken it');
  return { reason: 'the token contract takes the call, and yet the transaction reverted', counts: true };
}

function callOf({ raw, signer }: UnexplainedRevert): TokenCall {
  const { to, data = '0x', gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(raw);
  return { from: signer, to: to as Hex, data, gas, maxFeePerGas, maxPriorityFeePerGas };
}

async function decide({ ledger, log }: LoneRevertDeps, { leg, possibility }: FinalLeg): Promise<void> {
  const facts = { legId: leg.id, orderId: leg.orderId, correlationId: leg.correlationId };
  if (possibility === 'happened') {
    log.error(facts, 'an order whose transactions reverted was carried out: it is sent once more, so that its outcome ends it');
    return resendFailingLeg(ledger, leg.id);
  }
  if (await giveUpLeg(ledger, leg, givenUpReason)) log.error(facts, 'an order is given up: its transaction reverted three times');
}
