import type { EndpointFault } from '../chain/evidence/endpoint-watch.ts';
import type { SharedEndpoint } from '../chain/endpoints.ts';
import type { Head } from '../chain/head.ts';
import { describeRpcError } from '../chain/node-answer.ts';
import type { NetworkSettings } from '../platform/settings.ts';
import { networkVariable } from '../platform/settings.ts';
import type { Alarms } from './alarms.ts';
import type { LaneFacts } from './lanes/lane.ts';

/** What the alarms of a network's worker are raised about. */
export interface NetworkAlarmDeps {
  alarms: Alarms;
  network: NetworkSettings;
  endpoints: readonly Pick<SharedEndpoint, 'name' | 'rest'>[];
  /** What is wrong with endpoints that answer. */
  endpointFaults: () => readonly EndpointFault[];
  head: Pick<Head, 'number' | 'outage'>;
  lanes: () => LaneFacts[];
  /** The time in milliseconds; by default the process's clock. */
  now?: (() => number) | undefined;
}

/** An endpoint that does not answer once is no reason to wake anybody. */
const outageMs = 10_000;

/** An endpoint that rests for a moment is no reason to look at it. */
const restMs = 15_000;

/** Blocks without which the head counts as still: no network misses that many in a row. */
const stalledBlocks = 30;

/** Where blocks are fast, an endpoint that lags for some seconds is no reason to wake anybody. */
const leastStalledMs = 60_000;

/**
 * Watches what concerns a network as a whole, whenever the returned function is called: whether its chain is reached (`chain_unreachable`) and
 * each endpoint answers (`endpoint_silent`), for this chain (`endpoint_of_other_chain`) and with its newest blocks (`endpoint_behind`), whether the head advances (`head_stalled`), and whether the signers sign (`signer_silent`).
 */
export function createNetworkAlarms({
  alarms,
  network,
  endpoints,
  endpointFaults,
  head,
  lanes,
  now = Date.now,
}: NetworkAlarmDeps): () => void {
  const { chain, blockTimeSeconds } = network;
  const variable = networkVariable(chain, 'rpcUrls');
  const stalledMs = Math.max(leastStalledMs, stalledBlocks * blockTimeSeconds * 1000);
  let seen = { number: head.number(), at: now() };
  let silent: string[] = [];

  const checkHead = () => {
    const [outage, number] = [head.outage(), head.number()];
    if (number !== seen.number) seen = { number, at: now() };
    if (outage === undefined) alarms.clear('chain_unreachable', chain);
    else if (now() >= outage.since + outageMs)
      alarms.raise('chain_unreachable', chain, `no endpoint of ${variable} answers: ${outage.text}`, outage.since);
    const stillMs = now() - seen.at;
    if (outage !== undefined || stillMs < stalledMs) return alarms.clear('head_stalled', chain);
    const seconds = Math.round(stillMs / 1000);
    const text = `the head stands at block ${number ?? 'none'} for ${seconds} s: does the chain make blocks, and do the endpoints of ${variable} follow it?`;
    alarms.raise('head_stalled', chain, text, seen.at);
  };

  const checkSigners = () => {
    const outages = lanes().flatMap(({ signer, outage }) => (outage === null ? [] : [{ signer, outage }]));
    for (const { signer, outage } of outages)
      alarms.raise('signer_silent', signer, `the signer ${signer} does not sign: ${outage}. Try it with \`mintrail signer show REFERENCE\``);
    for (const signer of silent) if (!outages.some((other) => other.signer === signer)) alarms.clear('signer_silent', signer);
    silent = outages.map(({ signer }) => signer);
  };

  const checkAnswers = (name: string) => {
    const fault = endpointFaults().find((found) => found.name === name);
    if (fault?.why !== 'behind') alarms.clear('endpoint_behind', name);
    else
      alarms.raise(
        'endpoint_behind',
        name,
        `${name} is at block ${fault.block}, and the others of ${variable} are at ${fault.newest}: it is asked after them`,
      );
    if (fault?.why !== 'other chain') alarms.clear('endpoint_of_other_chain', name);
    else
      alarms.raise(
        'endpoint_of_other_chain',
        name,
        `${name} answers for the chain id ${fault.chainId}, which is not that of ${chain}. It is not asked: correct ${variable}`,
      );
  };

  const checkEndpoints = () => {
    for (const { name, rest } of endpoints) {
      const resting = rest();
      if (resting === undefined) alarms.clear('endpoint_silent', name);
      else if (now() >= resting.since + restMs) {
        const seconds = Math.round((now() - resting.since) / 1000);
        const text = `${name} has not answered for ${seconds} s: ${describeRpcError(resting.failure)}. The others of ${variable} are asked in its place`;
        alarms.raise('endpoint_silent', name, text, resting.since);
      }
      // Of a single endpoint nothing is known besides what it settles.
      if (endpoints.length > 1) checkAnswers(name);
    }
  };

  return () => {
    checkHead();
    checkEndpoints();
    checkSigners();
  };
}
