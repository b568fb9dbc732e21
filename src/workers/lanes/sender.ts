import type { Endpoint } from '../../chain/endpoints.ts';
import type { Rpc } from '../../chain/rpc.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type ClaimedLeg, claimLegs, releaseClaims } from '../../ledger/lanes/legs.ts';
import { recordTransaction } from '../../ledger/lanes/transactions.ts';
import { chainFacts } from '../../platform/chains.ts';
import type { Log } from '../../platform/log.ts';
import type { NetworkSettings } from '../../platform/settings.ts';
import type { Alarms } from '../alarms.ts';
import { broadcast } from './broadcast.ts';
import type { Nonces } from './nonces.ts';
import { createParkedScopes, laneScopes } from './parked-scopes.ts';
import { type BatchCall, type Obstacle, prepareBatch, scopeOf } from './prepare-batch.ts';
import type { WatchedSigner } from './watched-signer.ts';

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
  log: Log;
  alarms: Alarms;
  /** The time in milliseconds; by default the process's clock. */
  now?: (() => number) | undefined;
}

/** Sends the transactions of a lane that holds its lock. */
export interface LaneSender {
  /** Sends all that is ready, as far as the lane has room. `block` is the head. */
  sendReady(block: bigint): Promise<void>;
}

/**
 * The sending half of a lane that is held: claims ready legs in batches, and records each batch as a signed transaction before it
 * broadcasts it. Whoever gets an error from it drops the lane and begins anew from the ledger.
 */
export function createLaneSender(deps: LaneSenderDeps, nonces: Nonces): LaneSender {
  const { ledger, signer, network, log } = deps;
  const { chain, tokens, maxBatch } = network;
  const parked = createParkedScopes(deps);
  let limit = maxBatch;

  const sender: LaneSender = {
    async sendReady(block) {
      if (!(await signer.signs())) return;
      while (nonces.inFlight() < maxInFlight && signer.outage() === undefined) {
        const waiting = parked.waiting();
        if (laneScopes.some((scope) => waiting.includes(scope))) return;
        const legs = await claimLegs(ledger, { chain, signer: signer.address, limit, tokens, parked: waiting });
        if (legs.length === 0) return;
        await sendBatch(legs, block);
      }
    },
  };

  async function sendBatch(legs: ClaimedLeg[], block: bigint): Promise<void> {
    const prepared = await prepareBatch(deps, legs);
    if ('tooLarge' in prepared) return halveBatch(legs);
    if ('obstacle' in prepared) return giveBack(prepared.obstacle);
    parked.unpark(scopeOf(legs));
    for (const scope of laneScopes) parked.unpark(scope);
    limit = Math.min(limit * 2, maxBatch);
    await signAndSend(legs, prepared.call, block);
  }

  async function signAndSend(legs: ClaimedLeg[], { to, data, gasLimit, fees }: BatchCall, block: bigint): Promise<void> {
    const [{ kind, currency }] = legs as [ClaimedLeg];
    const nonce = nonces.next();
    const { id: chainId } = chainFacts(chain);
    const unsigned = { type: 'eip1559', chainId, nonce: Number(nonce), to, data, gas: gasLimit, ...fees } as const;
    // Nothing is recorded before this: without a signature the legs go to another lane, or out under the same nonce later.
    const signed = await signer.sign(unsigned).catch(() => undefined);
    if (!signed) return giveBack();
    await recordTransaction(ledger, {
      chain,
      signer: signer.address,
      nonce,
      kind,
      currency,
      gasLimit,
      sentAtBlock: block,
      attempt: { ...signed, ...fees },
      legs: legs.map(({ id }) => id),
    });
    nonces.take(nonce);
    const facts = { signer: signer.address, nonce: nonce.toString(), txHash: signed.hash, kind, currency, legs: legs.length };
    log.info(facts, 'transaction sent');
    await broadcast(deps, signed);
  }

  async function halveBatch(legs: ClaimedLeg[]): Promise<void> {
    limit = Math.max(1, Math.floor(legs.length / 2));
    const reason = 'one order alone is too large for a transaction of this network';
    await giveBack(legs.length === 1 ? { scope: scopeOf(legs), reason } : undefined);
  }

  /** Nothing was sent: the legs stay ready, for another lane too. */
  async function giveBack(obstacle?: Obstacle): Promise<void> {
    await releaseClaims(ledger, chain, signer.address);
    if (obstacle) parked.park(obstacle.scope, obstacle.reason);
  }

  return sender;
}
