import type { SignerOptions } from '../../chain/signers/create-signer.ts';
import { messageOf } from '../../platform/errors.ts';
import { laneQueue } from '../../ledger/queues.ts';
import { type Running, startLoop } from '../../platform/loop.ts';
import type { Waker } from '../../platform/queue.ts';
import { withoutUrlSecrets } from '../../platform/url-secrets.ts';
import { releaseAbandonedClaims } from './abandoned-claims.ts';
import { type Lane, type LaneDeps, type LaneFacts, startLane } from './lane.ts';
import { type OpenedSigner, openSigners } from './open-signers.ts';

/** Pause before a signer that could not be reached at the start is asked again. */
const openIntervalMs = 5_000;

/** Pause between two looks for claims that nobody works on any more. */
const claimsIntervalMs = 30_000;

/** The lanes of a network. */
export interface Lanes extends Running {
  /** What the operator sees of them. A signer that was not reached yet has no address: it is named by its reference. */
  facts(): LaneFacts[];
}

/** Starts a lane for each signer; for one that could not be reached, as soon as it can be. */
export function startLanes(
  deps: Omit<LaneDeps, 'signer'> & { waker: Pick<Waker, 'listen'> },
  opened: readonly OpenedSigner[],
  options: SignerOptions,
): Lanes {
  const { ledger, pool, network, log, waker } = deps;
  const lanes: Lane[] = [];
  let listener: Running | undefined;
  let waiting: { reference: string; outage: string }[] = [];

  const take = (signers: readonly OpenedSigner[]) => {
    waiting = signers.flatMap((one) => ('outage' in one ? one : []));
    for (const one of signers) if ('signer' in one) lanes.push(startLane({ ...deps, signer: one.signer }, listenWhileHeld));
  };
  const openAgain = async () => {
    const again = await Promise.all(
      waiting.map(async ({ reference }) => {
        try {
          return await openSigners([reference], options);
        } catch (error) {
          log.error({ err: error }, 'a signer that could not be reached is configured wrongly');
          return [{ reference, outage: messageOf(error) }];
        }
      }),
    );
    take(again.flat());
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

  take(opened);
  for (const { outage } of waiting) log.warn({ reason: outage }, 'a lane waits for its signer');
  const loop = waiting.length > 0 ? startLoop({ name: 'signers', intervalMs: openIntervalMs, log, turn: openAgain }) : undefined;
  const wake = () => {
    for (const lane of lanes) lane.wake();
  };
  const claims = startLoop({
    name: 'claims',
    intervalMs: claimsIntervalMs,
    log,
    turn: () => releaseAbandonedClaims(ledger, pool, network.chain),
  });
  return {
    facts: () => [
      ...lanes.map((lane) => lane.facts()),
      ...waiting.map(({ reference, outage }) => ({ signer: withoutUrlSecrets(reference), held: false, inFlight: 0, outage })),
    ],
    async close() {
      await Promise.all([listener?.close(), loop?.close(), claims.close()]);
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}
