import type { Registry } from 'prom-client';
import type { Chain } from '../../platform/chains.ts';
import { type Alarm, alarmKinds } from '../alarms.ts';
import type { LaneFacts } from '../lanes/lane.ts';
import { sharedGauge } from './shared-metrics.ts';

interface ChainFacts {
  chain: Chain;
  /** The newest block; undefined before the first one was seen. */
  head: () => bigint | undefined;
  lanes: () => LaneFacts[];
  alarms: () => Alarm[];
}

/** Registers the metrics of a network's worker. Their values are read when `/metrics` is requested. */
export function addChainMetrics(registry: Registry, { chain, head, lanes, alarms }: ChainFacts): void {
  const add = (name: string, help: string, read: () => number) =>
    sharedGauge(registry, { name, help, labelNames: ['chain'] }, (gauge) => gauge.set({ chain }, read()));
  add('mintrail_chain_head_block', 'The newest block that was seen; 0 before the first', () => Number(head() ?? 0n));
  add('mintrail_lanes_held', 'Lanes that this worker holds', () => lanes().filter(({ held }) => held).length);
  add('mintrail_lanes_without_signer', 'Lanes whose signer does not sign', () => lanes().filter(({ outage }) => outage !== null).length);
  add('mintrail_transactions_in_flight', 'Transactions of these lanes that are in no block yet', () =>
    lanes().reduce((sum, { inFlight }) => sum + inFlight, 0),
  );
  sharedGauge(registry, { name: 'mintrail_alarms', help: 'Alarms that are raised', labelNames: ['chain', 'kind'] }, (gauge) => {
    const raised = alarms();
    for (const kind of alarmKinds) gauge.set({ chain, kind }, raised.filter((alarm) => alarm.kind === kind).length);
  });
}
