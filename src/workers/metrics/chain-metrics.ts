import type { Registry } from 'prom-client';
import type { Chain } from '../../platform/chains.ts';
import type { MetricName } from '../../platform/metrics/catalogue.ts';
import { registeredGauge } from '../../platform/metrics/registered.ts';
import { networkAlarmKinds } from '../../problems/catalogue.ts';
import type { Alarm } from '../alarms.ts';
import type { LaneFacts } from '../lanes/lane.ts';

type NetworkGauge = Extract<MetricName<'gauge'>, 'mintrail_chain_head_block' | 'mintrail_fee_ceiling_wei' | `mintrail_lanes_${string}`>;
type LaneGauge = Extract<MetricName<'gauge'>, `mintrail_lane_${string}`>;

interface ChainFacts {
  chain: Chain;
  /** The highest fee per gas that a transaction may offer. */
  feeCeilingWei: number;
  /** The newest block; undefined before the first one was seen. */
  head: () => bigint | undefined;
  lanes: () => LaneFacts[];
  alarms: () => Alarm[];
}

/** Registers the metrics of a network's worker. Their values are read when `/metrics` is requested. */
export function addChainMetrics(registry: Registry, { chain, feeCeilingWei, head, lanes, alarms }: ChainFacts): void {
  const add = (name: NetworkGauge, read: () => number) => registeredGauge(registry, name, (gauge) => gauge.set({ chain }, read()));
  add('mintrail_chain_head_block', () => Number(head() ?? 0n));
  add('mintrail_fee_ceiling_wei', () => feeCeilingWei);
  add('mintrail_lanes_held', () => lanes().filter(({ held }) => held).length);
  add('mintrail_lanes_without_signer', () => lanes().filter(({ outage }) => outage !== null).length);
  const addOfLanes = (name: LaneGauge, read: (lane: LaneFacts) => number) =>
    registeredGauge(registry, name, (gauge) => {
      for (const lane of lanes()) {
        const labels = { chain, signer: lane.signer };
        // A hot spare does not know.
        if (lane.held) gauge.set(labels, read(lane));
        else gauge.remove(labels);
      }
    });
  addOfLanes('mintrail_lane_transactions_in_flight', ({ inFlight }) => inFlight);
  addOfLanes('mintrail_lane_nonce_gaps', ({ nonceGaps }) => nonceGaps);
  registeredGauge(registry, 'mintrail_alarms', (gauge) => {
    const raised = alarms();
    for (const kind of networkAlarmKinds) gauge.set({ chain, kind }, raised.filter((alarm) => alarm.kind === kind).length);
  });
}
