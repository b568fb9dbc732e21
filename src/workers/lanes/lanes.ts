import type { SignerOptions } from '../../chain/signers/create-signer.ts';
import { messageOf } from '../../platform/errors.ts';
import { startLoop } from '../../platform/loop.ts';
import type { Running } from '../../platform/running.ts';
import { withoutUrlSecrets } from '../../platform/url-secrets.ts';
import { releaseAbandonedClaims } from './abandoned-claims.ts';
import { type Lane, type LaneFacts, startLane } from './lane.ts';
import type { LaneDeps } from './deps.ts';
import { type OpenedSigner, openSigners } from './open-signers.ts';

/** Pause before a signer that could not be reached at the start is asked again, in milliseconds. */
const openInterval = 5_000;

/** Pause between two looks for claims that nobody works on any more, in milliseconds. */
const claimsInterval = 30_000;

/** The lanes of a network. */
export interface Lanes extends Running {
  wake(): void;
  /** What the operator sees of them. A signer that was not reached yet has no address: it is named by its reference. */
  facts(): LaneFacts[];
}

/** Starts a lane for each signer; for one that could not be reached, as soon as it can be. */
export function startLanes(deps: Omit<LaneDeps, 'signer'>, opened: readonly OpenedSigner[], options: SignerOptions): Lanes {
  const { ledger, pool, network, log } = deps;
  const lanes: Lane[] = [];
  let waiting: { reference: string; outage: string }[] = [];

  const take = (signers: readonly OpenedSigner[]) => {
    waiting = signers.flatMap((one) => ('outage' in one ? one : []));
    for (const one of signers) if ('signer' in one) lanes.push(startLane({ ...deps, signer: one.signer }));
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

  take(opened);
  for (const { outage } of waiting) log.warn({ reason: outage }, 'a lane waits for its signer');
  const loop = waiting.length > 0 ? startLoop({ name: 'signers', interval: openInterval, log, turn: openAgain }) : undefined;
  const wake = () => {
    for (const lane of lanes) lane.wake();
  };
  const claims = startLoop({
    name: 'claims',
    interval: claimsInterval,
    log,
    turn: () => releaseAbandonedClaims(ledger, pool, network.chain).then(wake),
  });
  return {
    wake,
    facts: () => [
      ...lanes.map((lane) => lane.facts()),
      ...waiting.map(({ reference, outage }) => ({ signer: withoutUrlSecrets(reference), held: false, inFlight: 0, outage })),
    ],
    async close() {
      await Promise.all([loop?.close(), claims.close()]);
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}
