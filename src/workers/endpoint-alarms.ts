import type { ConfirmedBlock, EndpointAnswer } from '../chain/evidence/confirmed-block.ts';
import { rpcQuorum } from '../chain/endpoints/endpoints.ts';
import type { NetworkSettings } from '../platform/settings.ts';
import type { Alarms } from './alarms.ts';

/** What the operator is told of the endpoints that settling depends on. */
export interface EndpointAlarms {
  /** What each endpoint answered for the confirmed block. */
  answered(confirmed: ConfirmedBlock): void;
  /** Fewer than a quorum of the endpoints answer. Raised when it lasts. */
  waits(reason: string): void;
  /** Endpoints contradict each other: settling is parked. */
  disagree(text: string): void;
  /** A quorum said the same of all that was to be proven, or there was nothing. */
  agree(): void;
  /** Nothing is to be settled, so the endpoints are not asked. */
  idle(): void;
}

/** An outage that is shorter than this needs nobody. */
const waitAlarmAfterMs = 60_000;

/** Endpoints that lag for so long do not catch up by themselves: a `finalized` block moves on in less, on every network that we know. */
const lagAlarmAfterMs = 20 * 60_000;

/** By how much healthy endpoints differ at any time. */
const usualLagSeconds = 60;
const usualLagBlocks = 3;

/** Subject of alarms about settling as a whole. */
const settling = 'settling';
/** Subject of alarms about an endpoint that the others have left behind. */
const lagging = 'lagging';

/** Creates the alarms of a network; `now` is the time in milliseconds. */
export function createEndpointAlarms(network: NetworkSettings, alarms: Alarms, now: () => number): EndpointAlarms {
  const quorum = rpcQuorum(network);
  const waiting = createDelayedAlarm(alarms, settling, waitAlarmAfterMs, now);
  const lag = createDelayedAlarm(alarms, lagging, lagAlarmAfterMs, now);
  const usualLag = BigInt(Math.ceil(usualLagSeconds / network.blockTimeSeconds) + usualLagBlocks);
  const waits = (reason: string) =>
    waiting.raise(`Settling waits, because ${quorum} endpoints must answer: ${reason}. Check the endpoints, or lower the quorum`);
  const agree = () => {
    waiting.clear();
    alarms.clear('endpoints_disagree', settling);
  };
  return {
    answered({ upTo, answers }) {
      if (upTo === undefined) {
        waits(answers.flatMap(describe).join('; '));
        return;
      }
      const claims = answers.flatMap((answer) => (answer.state === 'usable' ? [answer] : []));
      if (claims.every((claim) => claim.upTo - upTo <= usualLag)) {
        lag.clear();
        return;
      }
      const heights = claims.map((claim) => `${claim.endpoint.name} has confirmed block ${claim.upTo}`).join(', ');
      lag.raise(
        `The endpoints are far apart: ${heights}. Settling waits for ${quorum} of them. Find out which lags or lies, and replace it`,
      );
    },
    waits,
    disagree(text) {
      const remedy = 'Nothing is settled until they agree. Find out which of them lies, by a third source, and remove it';
      alarms.raise('endpoints_disagree', settling, `The endpoints contradict each other: ${text}. ${remedy}`);
    },
    agree,
    idle() {
      agree();
      lag.clear();
    },
  };
}

/** An alarm about missing endpoints that is raised only when its cause lasts. */
function createDelayedAlarm(alarms: Alarms, subject: string, afterMs: number, now: () => number) {
  let since: number | undefined;
  return {
    raise(text: string) {
      since ??= now();
      if (now() - since >= afterMs) alarms.raise('endpoints_missing', subject, text);
    },
    clear() {
      since = undefined;
      alarms.clear('endpoints_missing', subject);
    },
  };
}

/** Why an endpoint does not count; nothing for one that does. */
function describe(answer: EndpointAnswer): string[] {
  return answer.state === 'unreachable' ? [`${answer.endpoint.name} does not answer (${answer.reason})`] : [];
}
