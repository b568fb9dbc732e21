import type { ConfirmedBlock, EndpointAnswer } from '../chain/evidence/confirmed-block.ts';
import { rpcQuorum } from '../chain/endpoints.ts';
import type { DecidedLeg, DisregardedOutcome } from '../ledger/lanes/decided-legs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { NetworkSettings } from '../platform/settings.ts';
import type { Alarms } from './alarms.ts';
import { createUsedNumberAlarms } from './used-number-alarms.ts';

/** What settling tells the operator. */
export interface SettlingAlarms {
  /** Raises again, in a new process, what the ledger recorded shortly before. */
  recall(): Promise<void>;
  /** There is nothing to settle, so nothing waits. */
  idle(): void;
  /** What each endpoint answered. */
  endpoints(confirmed: ConfirmedBlock): void;
  /** Fewer than a quorum of the endpoints answer. Raised when it lasts. */
  waits(reason: string): void;
  /** Endpoints contradict each other: settling is parked. */
  disagreement(text: string): void;
  /** All that was to be proven was looked at; the transactions `unproven` are not as the index shows them. */
  agreement(unproven: readonly string[]): void;
  /** The chain does not have what the index shows of a transaction. Raised when it is seen a second time. */
  unproven(txHash: string, text: string): void;
  /** A leg's sequence number was used up by somebody else. */
  numberUsed(leg: DecidedLeg): void;
  /** Outcomes of messages of open legs that decide nothing. */
  disregarded(outcomes: readonly DisregardedOutcome[]): void;
}

/** What the alarms need. */
export interface SettlingAlarmsDeps {
  ledger: Ledger;
  network: NetworkSettings;
  alarms: Alarms;
  now?: (() => number) | undefined;
}

/** An outage that is shorter than this needs nobody. */
const waitAlarmAfterMs = 60_000;

/** Endpoints that lag for so long do not catch up by themselves: a `finalized` block moves on in less, on every network that we know. */
const lagAlarmAfterMs = 20 * 60_000;

/** By how much healthy endpoints differ at any time. */
const usualLagSeconds = 60;

/** Subject of alarms about settling as a whole. */
const settling = 'settling';
/** Subject of alarms about an endpoint that the others have left behind. */
const lagging = 'lagging';

/** Creates the alarms of a network's settler. */
export function createSettlingAlarms({ ledger, network, alarms, now = Date.now }: SettlingAlarmsDeps): SettlingAlarms {
  const usedNumbers = createUsedNumberAlarms({ ledger, network, alarms, now });
  const quorum = rpcQuorum(network);
  /** Transactions that are not as the index shows them. */
  let missing = new Set<string>();
  let disregarded = new Set<string>();
  let waitsSince: number | undefined;
  let lagsSince: number | undefined;
  const usualLag = BigInt(Math.ceil(usualLagSeconds / network.blockTimeSeconds) + 3);

  const endWait = () => {
    waitsSince = undefined;
    alarms.clear('endpoints_missing', settling);
  };
  const endLag = () => {
    lagsSince = undefined;
    alarms.clear('endpoints_missing', lagging);
  };
  const reportLag = (upTo: bigint, answers: readonly EndpointAnswer[]) => {
    const claims = answers.flatMap((answer) => (answer.state === 'usable' ? [answer] : []));
    if (claims.every((claim) => claim.upTo - upTo <= usualLag)) {
      endLag();
      return;
    }
    lagsSince ??= now();
    if (now() - lagsSince < lagAlarmAfterMs) return;
    const heights = claims.map((claim) => `${claim.endpoint.name} has confirmed block ${claim.upTo}`).join(', ');
    const remedy = `Settling waits for ${quorum} of them. Find out which lags or lies, and replace it`;
    alarms.raise('endpoints_missing', lagging, `The endpoints are far apart: ${heights}. ${remedy}`);
  };
  const waits = (reason: string) => {
    waitsSince ??= now();
    if (now() - waitsSince < waitAlarmAfterMs) return;
    const text = `Settling waits, because ${quorum} endpoints must answer: ${reason}. Check the endpoints, or lower the quorum`;
    alarms.raise('endpoints_missing', settling, text);
  };

  return {
    recall: () => usedNumbers.recall(),
    idle() {
      endWait();
      endLag();
      alarms.clear('endpoints_disagree', settling);
    },
    endpoints({ upTo, answers }) {
      for (const answer of answers) reportChain(alarms, network, answer);
      if (upTo === undefined) waits(answers.flatMap(describe).join('; '));
      else reportLag(upTo, answers);
    },
    waits,
    disagreement(text) {
      const remedy = 'Nothing is settled until they agree. Find out which of them lies, by a third source, and remove it';
      alarms.raise('endpoints_disagree', settling, `The endpoints contradict each other: ${text}. ${remedy}`);
    },
    agreement(unproven) {
      endWait();
      alarms.clear('endpoints_disagree', settling);
      for (const txHash of missing) if (!unproven.includes(txHash)) alarms.clear('outcome_disagrees', txHash);
      missing = new Set(unproven);
    },
    unproven(txHash, text) {
      const remedy = 'Its legs stay open. Check that the endpoints keep receipts, then the index: `mintrail indexer` reads it anew';
      if (missing.has(txHash)) alarms.raise('outcome_disagrees', txHash, `${text}. ${remedy}`);
      missing.add(txHash);
    },
    numberUsed: (leg) => usedNumbers.raise(leg),
    disregarded(outcomes) {
      const current = new Set(outcomes.map(({ legId }) => legId));
      for (const legId of disregarded) if (!current.has(legId)) alarms.clear('outcome_disagrees', legId);
      for (const outcome of outcomes) alarms.raise('outcome_disagrees', outcome.legId, describeDisregarded(outcome));
      disregarded = current;
    },
  };
}

function reportChain(alarms: Alarms, { chain }: NetworkSettings, answer: EndpointAnswer): void {
  const { name } = answer.endpoint;
  if (answer.state === 'usable') alarms.clear('endpoint_of_other_chain', name);
  if (answer.state === 'other chain')
    alarms.raise(
      'endpoint_of_other_chain',
      name,
      `${name} answers for the chain id ${answer.chainId}, which is not that of ${chain}. It settles nothing: correct the endpoints of ${chain}`,
    );
}

/** Why an endpoint does not count; nothing for one that does. */
function describe(answer: EndpointAnswer): string[] {
  const { name } = answer.endpoint;
  if (answer.state === 'unreachable') return [`${name} does not answer (${answer.reason})`];
  return answer.state === 'other chain' ? [`${name} answers for the chain id ${answer.chainId}`] : [];
}

function describeDisregarded({ why, txHash, orderId, refused, amount }: DisregardedOutcome): string {
  if (why === 'other amount')
    return `The transaction ${txHash} burnt ${amount} token units for a message whose order has another amount. Its leg stays open: look into it`;
  return (
    `The transaction ${txHash} had a message refused (${refused}), under the order id ${orderId}. It is not ours, so the refusal does not count. ` +
    'Somebody else has an operator key: revoke the operator role of its sender'
  );
}
