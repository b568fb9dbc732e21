import { Registry } from 'prom-client';
import { followHead } from '../chain/head.ts';
import { createRpc } from '../chain/rpc.ts';
import { isNativeCurve } from '../chain/secp256k1.ts';
import { signerReferences } from '../chain/signers/create-signer.ts';
import { beat } from '../ledger/lanes/heartbeats.ts';
import { laneQueue } from '../ledger/lane-queue.ts';
import { signatureQueue } from '../ledger/orders/signature-requests.ts';
import type { LedgerTables } from '../ledger/tables.ts';
import type { Chain } from '../platform/chains.ts';
import { createDatabase, createPool } from '../platform/database.ts';
import { createLog } from '../platform/log.ts';
import { startLoop } from '../platform/loop.ts';
import { createQueueWorker } from '../platform/queue.ts';
import type { Running } from '../platform/running.ts';
import { networkSettings, type Settings } from '../platform/settings.ts';
import { addChainMetrics } from './chain-metrics.ts';
import { heartbeatInterval } from './heartbeat-interval.ts';
import { startSignatureChecks } from './signatures.ts';
import { startLanes } from './lanes/lanes.ts';
import { openSigners } from './lanes/open-signers.ts';
import { startSettler } from './settler.ts';

/** Runs the queues of one network: its lanes, its settler and its signature checks. Throws when the network's settings do not suffice. */
export async function runChainWorker(settings: Settings, chain: Chain, registry = new Registry()): Promise<Running> {
  const network = networkSettings(settings, chain);
  const log = createLog(settings.logLevel, { process: 'worker', chain });
  if (!isNativeCurve) log.warn('the native secp256k1 library does not load here: signing and recovery are about 40 times slower');
  const rpc = createRpc(network);
  const options = { environment: settings.environment, keystorePassword: network.keystorePassword };
  const signers = await openSigners(signerReferences(network), options);
  // Each lane holds its lock on a connection of its own, and the settler listens on one.
  const max = settings.databasePoolSize + signers.length + 1;
  const pool = createPool({ connectionString: settings.databaseUrl, max, log, name: `mintrail worker ${chain}` });
  const ledger = createDatabase<LedgerTables>(pool);
  const head = followHead(rpc, Math.min(Math.max(network.blockTimeSeconds * 200, 100), 2_000), log);
  const shared = { ledger, pool, rpc, network, head, log };
  const lanes = startLanes(shared, signers, options);
  const wakeLanes = () => lanes.wake();
  const settler = startSettler({ ...shared, onSettled: wakeLanes });
  const signatures = startSignatureChecks({ ...shared, onValid: wakeLanes });
  const queues = [
    createQueueWorker(settings, { queue: laneQueue(chain), log, work: async () => wakeLanes() }),
    createQueueWorker(settings, { queue: signatureQueue(chain), log, work: async () => signatures.wake() }),
  ];
  addChainMetrics(registry, { chain, head: () => head.number(), lanes: () => lanes.facts() });
  const heart = startLoop({
    name: 'heartbeat',
    interval: heartbeatInterval,
    log,
    turn: () => {
      const outage = head.outage() ?? null;
      return beat(ledger, 'worker', chain, {
        ok: outage === null && head.number() !== undefined,
        head: head.number()?.toString() ?? null,
        outage,
        lanes: lanes.facts(),
      });
    },
  });
  return {
    async close() {
      await Promise.all(queues.map((queue) => queue.close()));
      await Promise.all([heart.close(), head.close(), settler.close(), signatures.close(), lanes.close()]);
      await ledger.destroy();
    },
  };
}
