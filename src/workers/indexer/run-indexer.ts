import { Registry } from 'prom-client';
import { watchEndpoints } from '../../chain/endpoints/endpoint-watch.ts';
import { faultsOf } from '../../chain/endpoints/endpoint-faults.ts';
import { createEndpoints, rpcQuorum } from '../../chain/endpoints/endpoints.ts';
import { rpcOver } from '../../chain/endpoints/rpc.ts';
import { countRpcRequests } from '../metrics/rpc-metrics.ts';
import { createHeadReader } from './head-reader.ts';
import { startEndpointProxy } from './endpoint-proxy.ts';
import { createLagWatch, type Position } from './lag-watch.ts';
import { type IndexerReport, runPonder } from './run-ponder.ts';
import { createSameSign } from './same-sign.ts';
import { createStallWatch } from './stall-watch.ts';
import { newInstance, recordHeartbeat } from '../../ledger/lanes/heartbeats.ts';
import { createLedger } from '../../ledger/ledger.ts';
import { wakesNobody } from '../../ledger/wake-ups.ts';
import type { Chain } from '../../platform/chains.ts';
import { statementConnection } from '../../platform/postgres/connections.ts';
import { createPool } from '../../platform/database.ts';
import { createLog } from '../../platform/log.ts';
import type { Running } from '../../platform/loop.ts';
import { addPoolMetrics } from '../../platform/metrics/pool-metrics.ts';
import { registeredCounter, registeredGauge } from '../../platform/metrics/registered.ts';
import { networkSettings, networkVariable, type Settings } from '../../platform/settings.ts';

/** Blocks behind the head from which the indexer counts as stuck. After a reorganisation too deep for it, Ponder stops and still calls itself ready. */
const stuckBlocks = 20;

/** Where blocks are fast, an indexer that polls once a second is some blocks behind all the time. */
const stuckSeconds = 30;

/** Ponder writes that it lives every 10 seconds. Without two of these signs, a little late, it is silent. */
const silentMs = 22_000;

/** What is logged of an indexer that is behind. That it stands still has several causes, and it does not know which. */
const lagTexts = {
  'catches up': 'the indexer is behind the chain and comes nearer, as after an outage of the database or of the endpoints',
  'stands still':
    'the indexer is behind the chain and stands still; once database and endpoints answer it goes on by itself, and restarts its Ponder if that reads no block within a minute',
};

/** A restart cures what a limiter of requests or a reorganisation deeper than the finality of the chain has stopped. */
const restartText =
  'restarting Ponder: it has read no block for a minute, or come no nearer to the head for ten, although database and endpoints answer; if it stands still again, the pause before its next restart is longer';

/** Runs the indexer of one network and compares it with the head of the chain, which Ponder does not do by itself. */
export async function runIndexer(settings: Settings, chain: Chain, registry = new Registry()): Promise<Running> {
  const network = networkSettings(settings, chain);
  const log = createLog(settings.logLevel, { process: 'indexer', chain });
  const endpoints = createEndpoints(network, countRpcRequests(registry, chain), {
    checksChain: true,
    restsAlone: true,
    refusesLeads: true,
  });
  const pool = createPool({ ...statementConnection(settings), max: 2, log, name: `mintrail indexer ${chain}` });
  const ledger = createLedger(pool, wakesNobody);
  const watch = watchEndpoints(endpoints, log);
  const rpc = rpcOver(endpoints);
  const metrics = createIndexerMetrics(registry, chain);
  const instance = newInstance();
  const stuckBehind = BigInt(Math.max(stuckBlocks, Math.ceil(stuckSeconds / network.blockTimeSeconds)));
  const judge = createLagWatch(stuckBehind);
  const isStalled = createStallWatch(stuckBehind);
  const sameSignMs = createSameSign(ledger, chain);
  const readHead = createHeadReader(() => rpc.getBlockNumber());
  const setting = { variable: networkVariable(chain, 'rpcUrls'), isAlone: endpoints.length === 1 };
  let unwellSince: string | undefined;
  const report = async ({ ready, hasTakenOver, block, sign, ends, rebuild }: IndexerReport) => {
    const head = await readHead();
    const { ok: isNear, news } = judge({ ready, block, head });
    const sameSign = { sign: sign ?? null, milliseconds: await sameSignMs(sign) };
    const isSilent = sameSign.milliseconds > silentMs;
    const ok = isNear && !isSilent && rebuild === undefined;
    const position = { block, head: head?.toString() };
    if (news) log[news === 'catches up' ? 'warn' : 'error'](position, lagTexts[news]);
    if (ok) unwellSince = undefined;
    else unwellSince ??= new Date().toISOString();
    const facts = {
      ok,
      ready,
      block,
      head: head?.toString() ?? null,
      since: unwellSince ?? null,
      silentSince: isSilent ? new Date(Date.now() - sameSign.milliseconds).toISOString() : null,
      sameSign,
      ends: ends ?? null,
      rebuild: rebuild ?? null,
      endpoints: endpoints.flatMap((endpoint) => faultsOf(endpoint, setting)),
    };
    await recordHeartbeat(ledger, { component: 'indexer', chain, instance, facts });
    const restarts = isStalled({ ready: ready && hasTakenOver, block, head });
    metrics.show({ ready, block, head });
    if (restarts) {
      metrics.restarts.inc({ chain });
      log.error(position, restartText);
    }
    return { ok, restarts, endpointsAnswer: !proxy.hasFailed() && head !== undefined };
  };
  // What the others have is known before Ponder believes the newest block of the first.
  await watch.looked();
  const proxy = await startEndpointProxy({ endpoints, quorum: rpcQuorum(network), tokens: Object.values(network.tokens) });
  const close = async () => {
    await Promise.all([watch.close(), proxy.close(), ledger.destroy()]);
  };
  const ponder = await runPonder({ settings, chain, endpointsUrl: proxy.url, database: ledger, report }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  addPoolMetrics(registry, `indexer ${chain}`, pool);
  return {
    async close() {
      await ponder.close();
      await close();
    },
  };
}

/** The metrics of a network's indexer; `show` takes each position. */
function createIndexerMetrics(registry: Registry, chain: Chain) {
  const newestBlock = registeredGauge(registry, 'mintrail_indexer_block');
  const lag = registeredGauge(registry, 'mintrail_indexer_lag_blocks');
  const isReady = registeredGauge(registry, 'mintrail_indexer_ready');
  const restarts = registeredCounter(registry, 'mintrail_indexer_restarts_total');
  restarts.inc({ chain }, 0);
  return {
    restarts,
    show({ ready, block, head }: Position) {
      const indexed = BigInt(block ?? 0);
      newestBlock.set({ chain }, Number(indexed));
      isReady.set({ chain }, ready ? 1 : 0);
      // Ponder may have seen a block that this endpoint has not.
      if (head !== undefined) lag.set({ chain }, Math.max(0, Number(head - indexed)));
    },
  };
}
