import type { Signer } from '../../chain/signers/signer.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { parkLane, unparkLane } from '../../ledger/lanes/parked-lanes.ts';
import type { Log } from '../../platform/log.ts';
import type { NetworkSettings } from '../../platform/settings.ts';

/** Pause before a parked scope is probed again. A probe is a gas estimate: it costs nothing. */
const probeIntervalMs = 5_000;

/** The scope of a signer that cannot pay for gas: nothing goes out. */
export const gasScope = 'gas';

/** What a lane does not send until an operator mends the cause. A scope is a leg's kind and currency, such as `issue eur`, or {@link gasScope}. */
export interface ParkedScopes {
  /** The scopes whose next probe is not due. Those that are due are sent again, which is the probe. */
  waiting(): string[];
  /** Parks a scope until its next probe, and shows the operator why. The log gets the reason once, not at every probe. */
  park(scope: string, reason: string): Promise<void>;
  /** The probe went through: the scope is sent again. Does nothing for a scope that is not parked. */
  unpark(scope: string): Promise<void>;
}

interface ParkedScopesDeps {
  ledger: Ledger;
  network: NetworkSettings;
  signer: Signer;
  log: Log;
  /** The time in milliseconds; by default the process's clock. */
  now?: (() => number) | undefined;
}

/** Creates the parked scopes of one signer's lane on one network; none is parked at first. */
export function createParkedScopes({ ledger, network, signer, log, now = Date.now }: ParkedScopesDeps): ParkedScopes {
  const lane = { chain: network.chain, signer: signer.address };
  const nextProbes = new Map<string, number>();
  return {
    waiting: () => [...nextProbes].filter(([, at]) => at > now()).map(([scope]) => scope),
    async park(scope, reason) {
      if (!nextProbes.has(scope))
        log.error({ signer: lane.signer, scope, reason }, 'the lane is parked: nothing of this scope is sent until the cause is mended');
      nextProbes.set(scope, now() + probeIntervalMs);
      await parkLane(ledger, { ...lane, scope, reason });
    },
    async unpark(scope) {
      if (!nextProbes.delete(scope)) return;
      log.info({ signer: lane.signer, scope }, 'the lane sends again');
      await unparkLane(ledger, lane.chain, lane.signer, scope);
    },
  };
}
