import type { Signer } from '../../chain/signers/signer.ts';
import type { LegKind } from '../../schema/states.ts';
import type { Alarms } from '../alarms.ts';

/** Pause before a parked scope is probed again. A probe is a gas estimate: it costs nothing. */
const probeIntervalMs = 5_000;

/**
 * How long after its last probe a scope is no longer parked. Nothing of that scope has been ready since, so that there is nothing to
 * probe with, and nothing that waits. Twelve probes: a lane that another one overtakes at every turn does not raise its alarm each time.
 */
const forgottenAfterMs = 12 * probeIntervalMs;

/** The scope of a signer that cannot pay for gas: nothing goes out. */
export const gasScope = 'gas';

/** The scope of a network whose gas costs more than a transaction may offer: nothing goes out. */
export const feeScope = 'fees';

/** The scopes that stop a lane as a whole. */
export const laneScopes: readonly string[] = [gasScope, feeScope];

/** What cannot be sent now, and why. */
export interface Obstacle {
  scope: string;
  reason: string;
  /** The kind of the legs that it holds up; not set where it holds up all of the lane. */
  waiting?: LegKind;
}

/** What a lane does not send until the cause is gone. A scope is a leg's kind and currency, such as `issue eur`, or one of {@link laneScopes}. */
export interface ParkedScopes {
  /** The scopes whose next probe is not due. Those that are due are sent again, which is the probe. */
  waiting(): string[];
  /** Ends what nothing was ready to probe with for a while: nothing of it waits. To be called at every turn, also when nothing is ready. */
  forgetOld(): void;
  /** Parks a scope until its next probe. Raises the alarm `lane_parked`, `gas_money` for {@link gasScope}, or `fee_ceiling` for {@link feeScope}. */
  park(obstacle: Obstacle): void;
  /** The probe went through: the scope is sent again, and its alarm ends. Does nothing for a scope that is not parked. */
  unpark(scope: string): void;
}

interface ParkedScopesDeps {
  signer: Signer;
  alarms: Alarms;
  /** The time in milliseconds; by default the process's clock. */
  now?: (() => number) | undefined;
}

/** Creates the parked scopes of a lane. None is parked at first, except those whose alarm is still raised since the lane was held before. */
export function createParkedScopes({ signer, alarms, now = Date.now }: ParkedScopesDeps): ParkedScopes {
  const subjectOf = (scope: string) => `${signer.address} ${scope}`;
  const nextProbes = new Map<string, number>();
  for (const { kind, subject } of alarms.list())
    if (subject.startsWith(subjectOf(''))) {
      const scope = subject.slice(subjectOf('').length);
      if (kind === kindOf(scope)) nextProbes.set(scope, now());
    }

  const unpark = (scope: string) => {
    if (nextProbes.delete(scope)) alarms.clear(kindOf(scope), subjectOf(scope));
  };
  return {
    waiting: () => [...nextProbes].filter(([, at]) => at > now()).map(([scope]) => scope),
    forgetOld() {
      for (const [scope, at] of nextProbes) if (now() > at + forgottenAfterMs) unpark(scope);
    },
    park({ scope, reason, waiting }) {
      nextProbes.set(scope, now() + probeIntervalMs);
      const text = laneScopes.includes(scope)
        ? reason
        : `the lane of ${signer.address} does not send ${scope}: ${reason}. See \`mintrail token show --chain NAME\``;
      alarms.raise(kindOf(scope), subjectOf(scope), text, { waiting, cause: reason });
    },
    unpark,
  };
}

function kindOf(scope: string): 'gas_money' | 'fee_ceiling' | 'lane_parked' {
  if (scope === gasScope) return 'gas_money';
  return scope === feeScope ? 'fee_ceiling' : 'lane_parked';
}
