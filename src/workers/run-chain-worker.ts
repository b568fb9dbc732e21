import { Registry } from 'prom-client';
import { isAddress } from 'viem';
import { createEndpoints } from '../chain/endpoints/endpoints.ts';
import { createEndpointAnswers } from '../chain/evidence/endpoint-answers.ts';
import { watchEndpoints } from '../chain/endpoints/endpoint-watch.ts';
import { createEvidence } from '../chain/evidence/evidence.ts';
import { followHead } from '../chain/head.ts';
import { createMarketReader } from '../chain/market-reader.ts';
import { rpcOver } from '../chain/endpoints/rpc.ts';
import { isNativeCurve } from '../chain/secp256k1.ts';
import { signerReferences } from '../chain/signers/create-signer.ts';
import { createLedger } from '../ledger/ledger.ts';
import type { Chain } from '../platform/chains.ts';
import { directUrl, statementConnection } from '../platform/postgres/connections.ts';
import { createPool } from '../platform/database.ts';
import { createLog } from '../platform/log.ts';
import type { Running } from '../platform/loop.ts';
import { addPoolMetrics } from '../platform/metrics/pool-metrics.ts';
import { createWaker, type Waker } from '../platform/queue/waker.ts';
import { readableSecrets, readableText } from '../platform/secret-files.ts';
import { networkSettings, networkVariable, type Settings } from '../platform/settings.ts';
import { createAlarms } from './alarms.ts';
import { startNodeComparison } from './comparisons/node-comparison.ts';
import { addChainMetrics } from './metrics/chain-metrics.ts';
import { startHeartbeat } from '../ledger/lanes/heartbeat-loop.ts';
import { countDisagreements, countReceipts, startLaneMetrics } from './metrics/lane-metrics.ts';
import { countRpcRequests } from './metrics/rpc-metrics.ts';
import { createNetworkAlarms } from './network-alarms.ts';
import { startSignatureChecks } from './signatures.ts';
import { startLanes } from './lanes/lanes.ts';
import { openSigners } from './lanes/open-signers.ts';
import { startSettler } from './settler.ts';
import { startSignerWarnings } from './warnings/signer-warnings.ts';

/** What can be set for a network's worker besides the settings. */
export interface ChainWorkerOptions {
  /** Where its metrics are registered. */
  registry?: Registry;
  /** Shared with other workers of the process, and not closed with this one. By default its own. */
  waker?: Waker | undefined;
  /** Longest sleep of a lane; by default five seconds. */
  sweepIntervalMs?: number;
  /** Most connections besides the direct ones; by default `DATABASE_POOL`. */
  poolSize?: number;
}

/** Works for one network: its lanes, its settler and its signature checks. Throws when the network's settings do not suffice. */
export async function runChainWorker(
  settings: Settings,
  chain: Chain,
  { registry = new Registry(), waker: sharedWaker, sweepIntervalMs, poolSize = settings.databasePoolSize }: ChainWorkerOptions = {},
): Promise<Running> {
  const network = networkSettings(settings, chain);
  const log = createLog(settings.logLevel, { process: 'worker', chain });
  if (!isNativeCurve)
    log.warn('the native secp256k1 library does not load here: @noble/curves signs 10 times and recovers 25 times slower');
  const observeRpc = countRpcRequests(registry, chain);
  const endpoints = createEndpoints(network, observeRpc, { checksChain: true });
  const watch = watchEndpoints(endpoints, log);
  const rpc = rpcOver(endpoints);
  const passwordVariable = networkVariable(network.chain, 'keystorePassword');
  const options = { environment: settings.environment, keystorePassword: network.keystorePassword, passwordVariable };
  const signers = await openSigners(signerReferences(network), options, networkVariable(chain, 'signers'));
  const pool = createPool({ ...statementConnection(settings), max: poolSize, log, name: `mintrail worker ${chain}` });
  // Each lane holds its lock on a connection of its own, the settler listens on one, and one takes the locks of abandoned lanes.
  const directPool = createPool({ connectionString: directUrl(settings), max: signers.length + 2, log, name: `mintrail direct ${chain}` });
  const waker = sharedWaker ?? createWaker(settings, log, registry);
  const ledger = createLedger(pool, waker, settings.quotas);
  const alarms = createAlarms(log);
  for (const secret of readableSecrets(settings)) alarms.raise('secret_readable', secret.variable, readableText(secret));
  const head = followHead(rpc, Math.min(Math.max(network.blockTimeSeconds * 200, 100), 2_000), log, {
    endpoints,
    blockTimeSeconds: network.blockTimeSeconds,
    onDoubt: (doubt) => {
      if (doubt === undefined) alarms.clear('endpoints_disagree', 'newest block');
      else alarms.raise('endpoints_disagree', 'newest block', doubt);
    },
  });
  const answers = createEndpointAnswers(head, { isOnlyEndpoint: endpoints.length === 1 });
  const evidence = createEvidence(network, endpoints, answers);
  const market = createMarketReader({ rpc, endpoints, network, head });
  const shared = { ledger, directPool, rpc, endpoints, answers, evidence, network, head, log, alarms, waker, sweepIntervalMs, market };
  const lanes = startLanes({ ...shared, onReceipt: countReceipts(registry, chain) }, signers, options);
  const settler = startSettler({ ...shared, onDisagreement: countDisagreements(registry, chain) });
  const signatures = startSignatureChecks({
    ...shared,
    senders: () =>
      lanes
        .facts()
        .map(({ signer }) => signer)
        .filter((signer) => isAddress(signer)),
    poolSize,
  });
  const comparison = startNodeComparison({ ...shared, registry });
  addPoolMetrics(registry, chain, pool);
  addPoolMetrics(registry, `${chain} direct`, directPool);
  addChainMetrics(registry, {
    chain,
    feeCeilingWei: network.feeCeilingGwei * 1e9,
    head: () => head.number(),
    lanes: () => lanes.facts(),
    alarms: () => alarms.list(),
  });
  const laneMetrics = startLaneMetrics({ registry, ledger, rpc, chain, log, alarms, lanes: () => lanes.facts() });
  const signerWarnings = startSignerWarnings({ ...shared, settings, registry, lanes: () => lanes.facts() });
  const checkNetwork = createNetworkAlarms({
    alarms,
    network,
    endpoints,
    head,
    lanes: () => lanes.facts(),
  });
  const heartbeat = startHeartbeat({
    ledger,
    log,
    component: 'worker',
    chain,
    facts: () => {
      checkNetwork();
      const outage = head.outage();
      const number = head.number();
      return {
        ok: outage === undefined && number !== undefined,
        head: number?.toString() ?? null,
        outage: outage?.text ?? null,
        since: outage ? new Date(outage.since).toISOString() : null,
        lanes: lanes.facts(),
        alarms: alarms.list(),
      };
    },
  });
  return {
    async close() {
      await Promise.all([
        heartbeat.close(),
        watch.close(),
        laneMetrics.close(),
        signerWarnings.close(),
        head.close(),
        settler.close(),
        signatures.close(),
        comparison.close(),
        lanes.close(),
      ]);
      if (!sharedWaker) await waker.close();
      await Promise.all([ledger.destroy(), directPool.end()]);
    },
  };
}
