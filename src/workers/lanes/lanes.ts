import type { Pool } from 'pg';
import type { SignerOptions } from '../../chain/signers/create-signer.ts';
import { laneLock } from '../../ledger/advisory-locks.ts';
import { claimingSigners, releaseClaims } from '../../ledger/lanes/legs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Chain } from '../../platform/chains.ts';
import { messageOf } from '../../platform/errors.ts';
import { laneQueue } from '../../ledger/wake-ups.ts';
import { type Running, startLoop } from '../../platform/loop.ts';
import { tryAdvisoryLock } from '../../platform/postgres/advisory-lock.ts';
import type { Waker } from '../../platform/queue/waker.ts';
import { withoutUrlSecrets } from '../../platform/url-secrets.ts';
import { type LaneDeps, type LaneFacts, type RunningLane, startLane } from './lane.ts';
import { type OpenedSigner, openSigners } from './open-signers.ts';

/** Between two tries to reach a signer that could not be reached at the start. */
const openIntervalMs = 5_000;

/** Between two looks for abandoned claims. */
const claimsIntervalMs = 30_000;

/** The lanes of a network. */
export interface Lanes extends Running {
  /** What the operator sees of them. A signer that was not reached yet has no known address: it is named by its reference. */
  facts(): LaneFacts[];
}

/** Starts a lane for each signer; for one that could not be reached, as soon as it can be. */
export function startLanes(
  deps: Omit<LaneDeps, 'signer'> & { waker: Pick<Waker, 'listen'> },
  opened: readonly OpenedSigner[],
  options: SignerOptions,
): Lanes {
  const { ledger, directPool, network, log, waker } = deps;
  const lanes: RunningLane[] = [];
  let listener: Running | undefined;
  let unreached: { reference: string; outage: string }[] = [];

  const startAll = (signers: readonly OpenedSigner[]) => {
    unreached = signers.flatMap((opened) => ('outage' in opened ? opened : []));
    for (const opened of signers)
      if ('signer' in opened) {
        const lane = startLane({ ...deps, signer: opened.signer, onLeft: () => wakeAnother(lane) }, listenWhileHeld);
        lanes.push(lane);
      }
  };
  const openAgain = async () => {
    const again = await Promise.all(
      unreached.map(async ({ reference }) => {
        try {
          return await openSigners([reference], options);
        } catch (error) {
          log.error({ err: error }, 'a signer that could not be reached is configured wrongly');
          return [{ reference, outage: messageOf(error) }];
        }
      }),
    );
    startAll(again.flat());
  };

  /** A hot spare takes no wake-up away from the worker that holds the lanes. */
  const listenWhileHeld = () => {
    const isHeld = lanes.some((lane) => lane.facts().held);
    if (isHeld) listener ??= waker.listen(laneQueue(network.chain), wake);
    else {
      void listener?.close();
      listener = undefined;
    }
  };

  startAll(opened);
  for (const { outage } of unreached) log.warn({ reason: outage }, 'a lane waits for its signer');
  const loop = unreached.length > 0 ? startLoop({ name: 'signers', intervalMs: openIntervalMs, log, turn: openAgain }) : undefined;
  /** One lane looks: what it leaves is another's. */
  const wake = () => {
    const free = lanes.find((lane) => lane.isFree());
    for (const lane of free ? [free] : lanes) lane.wake();
  };
  /** Not one that has left something itself: they would wake each other without end. */
  const wakeAnother = (than: RunningLane) => {
    const others = lanes.filter((lane) => lane !== than && !lane.hasLeft());
    const free = others.find((lane) => lane.isFree());
    for (const lane of free ? [free] : others) lane.wake();
  };
  const claims = startLoop({
    name: 'claims',
    intervalMs: claimsIntervalMs,
    log,
    turn: () => releaseAbandonedClaims(ledger, directPool, network.chain),
  });
  return {
    facts: () => [
      ...lanes.map((lane) => lane.facts()),
      ...unreached.map(({ reference, outage }) => ({
        signer: withoutUrlSecrets(reference),
        held: false,
        inFlight: 0,
        nonceGaps: 0,
        outage,
      })),
    ],
    async close() {
      await Promise.all([listener?.close(), loop?.close(), claims.close()]);
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

/**
 * Gives back the claims of lanes that no worker holds any more: a worker died between claim and signature, and its signer has been out
 * of reach since, or was replaced by another. Holding a lane's lock proves that it is safe: a claimed leg was never sent.
 */
async function releaseAbandonedClaims(ledger: Ledger, directPool: Pool, chain: Chain): Promise<void> {
  for (const signer of await claimingSigners(ledger, chain)) {
    const lock = await tryAdvisoryLock(directPool, laneLock(chain, signer));
    if (!lock) continue;
    try {
      await releaseClaims(ledger, chain, signer);
    } finally {
      await lock.release();
    }
  }
}
