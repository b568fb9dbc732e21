import { faultsOf } from '../chain/endpoints/endpoint-faults.ts';
import type { EndpointHealth } from '../chain/endpoints/endpoint-health.ts';
import type { Head } from '../chain/head.ts';
import { describeRpcError } from '../chain/node-answer.ts';
import { OtherChainError } from '../chain/endpoints/outages.ts';
import type { NetworkSettings } from '../platform/settings.ts';
import { networkVariable } from '../platform/settings.ts';
import type { Alarm, Alarms } from './alarms.ts';
import type { LaneFacts } from './lanes/lane.ts';

/** What the alarms of a network's worker are raised about. */
export interface NetworkAlarmDeps {
  alarms: Alarms;
  network: NetworkSettings;
  endpoints: readonly { name: string; health: Pick<EndpointHealth, 'rest' | 'behind' | 'slow' | 'failures'> }[];
  head: Pick<Head, 'number' | 'outage'>;
  lanes: () => LaneFacts[];
  /** The time in milliseconds; by default the process's clock. */
  now?: (() => number) | undefined;
}

/** An endpoint that does not answer once is no reason to wake anybody. */
const outageMs = 10_000;

/** An endpoint that rests or is behind for a moment is no reason to look at it. */
const lastingMs = 10_000;

/** Blocks without which the head counts as still: no network misses that many in a row. */
const stalledBlocks = 30;

/** Where blocks are fast, an endpoint that lags for some seconds is no reason to wake anybody. */
const leastStalledMs = 60_000;

/**
 * Watches what concerns a network as a whole, whenever the returned function is called: whether its chain is reached (`chain_unreachable`) and
 * each endpoint answers (`endpoint_silent`), for this chain (`endpoint_of_other_chain`), with its newest blocks (`endpoint_behind`), as the others do (`endpoint_contradicted`) and in time (`endpoint_slow`), whether the head advances (`head_stalled`), and whether the signers sign (`signer_silent`).
 */
export function createNetworkAlarms({ alarms, network, endpoints, head, lanes, now = Date.now }: NetworkAlarmDeps): () => void {
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
      alarms.raise('chain_unreachable', chain, `no endpoint of ${variable} answers: ${outage.text}`, { since: outage.since });
    const stillMs = now() - seen.at;
    if (outage !== undefined || stillMs < stalledMs) return alarms.clear('head_stalled', chain);
    const seconds = Math.round(stillMs / 1000);
    const text = `the head stands at block ${number ?? 'none'} for ${seconds} s: does the chain make blocks, and do the endpoints of ${variable} follow it?`;
    alarms.raise('head_stalled', chain, text, { since: seen.at });
  };

  const checkSigners = () => {
    const outages = lanes().flatMap(({ signer, outage }) => (outage === null ? [] : [{ signer, outage }]));
    for (const { signer, outage } of outages)
      alarms.raise(
        'signer_silent',
        signer,
        `the signer ${signer} does not sign: ${outage}. Try it with \`mintrail signer show REFERENCE\``,
      );
    for (const signer of silent) if (!outages.some((other) => other.signer === signer)) alarms.clear('signer_silent', signer);
    silent = outages.map(({ signer }) => signer);
  };

  const checkEndpoint = ({ name, health }: NetworkAlarmDeps['endpoints'][number]) => {
    const [rest, behind] = [health.rest(), health.behind()];
    const isOfOtherChain = rest?.failure instanceof OtherChainError;
    const show = (kind: Alarm['kind'], text: string | false | undefined, since = now()) =>
      text ? alarms.raise(kind, name, text, { since }) : alarms.clear(kind, name);
    const lasts = (since: number) => now() >= since + lastingMs;
    show(
      'endpoint_of_other_chain',
      isOfOtherChain && `${name} is not of ${chain}: ${describeRpcError(rest.failure)} It is not asked: correct ${variable}`,
      rest?.since,
    );
    show(
      'endpoint_silent',
      rest &&
        !isOfOtherChain &&
        lasts(rest.since) &&
        `${name} has not answered for ${Math.round((now() - rest.since) / 1000)} s: ${describeRpcError(rest.failure)}. The others of ${variable} are asked in its place`,
      rest?.since,
    );
    show(
      'endpoint_behind',
      behind &&
        behind.looks > 1 &&
        lasts(behind.since) &&
        `${name} is at block ${behind.block} by ${behind.method}, and the others of ${variable} are at ${behind.newest}: it is asked after them`,
      behind?.since,
    );
    const faults = faultsOf({ name, health }, { variable, isAlone: endpoints.length === 1 });
    for (const kind of ['endpoint_contradicted', 'endpoint_slow'] as const) {
      const fault = faults.find((other) => other.kind === kind);
      show(kind, fault?.text, fault?.since);
    }
  };

  return () => {
    checkHead();
    for (const endpoint of endpoints) checkEndpoint(endpoint);
    checkSigners();
  };
}
