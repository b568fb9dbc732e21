import { setTimeout as delay } from 'node:timers/promises';
import { networkDefaults } from '../src/platform/settings.ts';
import { settledWithin, settlingStages, watchBlocks } from './block-arrivals.ts';
import { creditLoad } from './credits.ts';
import { watchDiskFlushes } from './disk-flushes.ts';
import type { Results } from './figures.ts';
import { holdersOf, signedRedemptions } from './holders.ts';
import { type Load, sendLoad, sendLossyLoad } from './load/load.ts';
import { allProcessed, now, readFigures } from './orders.ts';
import { percentile } from './percentiles.ts';
import { countProcessorTime, millisecondsPerItem, processorTimeRows, type ProcessorTime } from './processor-time.ts';
import { print } from './report.ts';
import { benchChain, type BenchSandbox } from './sandbox.ts';
import { recordStatements } from './statements.ts';

const connections = 32;
const seconds = 20;

/** More than are placed in the time. */
const mostPerSecond = 1_500;

const offeredPerSecond = 150;
const warmUpCount = 500;
const aloneCount = 50;

/** Long enough that what follows from an order, but for its block, is done before the next one. */
const alonePauseMs = 200;

/** Measures a signed redemption that has the machine for itself. */
export async function benchAlone(sandbox: BenchSandbox, results: Results): Promise<void> {
  await warmUpRedemptions(sandbox);
  const load = await redemptionLoad(sandbox, aloneCount, { seconds: 60, pauseMs: alonePauseMs });
  const { latencies } = await sendLoad({ ...load, connections: 1 });
  await allProcessed(sandbox.pool);
  const [median, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  results.record('alone', median);
  print('a signed redemption alone', [['answered', `median ${median.toFixed(1)} ms, 99th percentile ${p99.toFixed(1)} ms`]]);
}

/** Measures the rate of 32 clients, each of which sends its next order when it has an answer, and what each order costs until it is paid. */
export async function benchRedemptions(sandbox: BenchSandbox, results: Results): Promise<void> {
  const { pool } = sandbox;
  await warmUpRedemptions(sandbox);
  const load = await redemptionLoad(sandbox, seconds * mostPerSecond, { seconds });
  const since = await now(pool);
  const used = countProcessorTime(sandbox);
  const { latencies, seconds: taken, cpu } = await sendLoad(load);
  await allProcessed(pool);
  const time: ProcessorTime = { ...used(), client: cpu };
  const { count, total, legsPerTransaction, transactions, blocks, transactionsPerBlockAndLane } = await readFigures(pool, since);
  results.record('redemptions', latencies.length / taken);
  results.record('redemptionP50', percentile(latencies, 0.5));
  results.record('redemptionP99', percentile(latencies, 0.99));
  results.record('cpuPostgres', millisecondsPerItem(time, count, 'PostgreSQL'));
  results.record('cpuApi', millisecondsPerItem(time, count, 'API'));
  results.record('cpuWorkers', millisecondsPerItem(time, count, 'chain worker', 'common worker'));
  results.record('cpuIndexer', millisecondsPerItem(time, count, 'indexer'));
  results.record('cpuAnvil', millisecondsPerItem(time, count, 'Anvil'));
  results.record('cpuClient', millisecondsPerItem(time, count, 'client'));
  results.record('legsPerTransaction', legsPerTransaction);
  const legsPerBlock = Math.round(legsPerTransaction * transactionsPerBlockAndLane);
  const legsNote = `${legsPerBlock} legs a block and lane, of which a transaction takes ${networkDefaults(benchChain).maxBatch}`;
  results.record('transactionsPerBlock', transactionsPerBlockAndLane, legsNote);
  print(`${count} signed redemptions by ${connections} clients, one network, 1 s blocks`, [
    ['placed', `${Math.round(latencies.length / taken)} a second`],
    ['placed, burned and paid, from the first to the last', `${Math.round(count / total)} a second`],
    ['transactions', `${transactions} in ${blocks} blocks, ${legsPerTransaction.toFixed(1)} legs each`],
    ...processorTimeRows(time, count),
  ]);
}

/** Measures latency at a rate that clients offer, whether or not they are answered. A request that fails has no end. */
export async function benchOffered(sandbox: BenchSandbox, results: Results): Promise<void> {
  const { pool, rpcUrl, dataDir } = sandbox;
  await warmUpRedemptions(sandbox);
  const load = await redemptionLoad(sandbox, seconds * offeredPerSecond, { perSecond: offeredPerSecond });
  const since = await now(pool);
  const blocks = await watchBlocks(rpcUrl);
  const used = countProcessorTime(sandbox);
  const flushed = watchDiskFlushes(dataDir);
  const { latencies: answered, failures, cpu } = await sendLossyLoad(load);
  const flushes = await flushed();
  await allProcessed(pool);
  const time = { ...used(), client: cpu };
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  const latencies = [...answered, ...Array.from({ length: failed }, () => Infinity)];
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  results.record('offeredP50', p50);
  const slowestFlush = Math.round(percentile(flushes, 1));
  const notes = [...(failed === 0 ? [] : [`${failed} of ${latencies.length} failed`]), `slowest flush of the disk ${slowestFlush} ms`];
  results.record('offeredP99', p99, notes.join(', '));
  const arrivals = blocks.stop();
  results.record('burnSettled', await settledWithin(pool, since, arrivals));
  const stages = Object.entries(await settlingStages(pool, since, arrivals));
  print(`${offeredPerSecond} redemptions a second offered for ${seconds} s`, [
    ['answered', `median ${p50.toFixed(1)} ms, 99th percentile ${p99.toFixed(1)} ms`],
    ['a flush of the disk', `median ${percentile(flushes, 0.5).toFixed(1)} ms, slowest ${slowestFlush} ms`],
    ...Object.entries(failures).map(([answer, count]): [string, string] => [`failed: ${answer.slice(0, 60)}`, String(count)]),
    ...stages.map(([stage, time]): [string, string] => [`${stage}, 95th percentile`, `${Math.round(time)} ms`]),
    ...processorTimeRows(time, answered.length),
  ]);
}

/** Measures how many statements the API sends for a redemption, alone and of 32 clients, and all processes for a credit, a redemption and at rest. */
export async function benchStatements(sandbox: BenchSandbox, results: Results): Promise<void> {
  await warmUpRedemptions(sandbox);
  const counts = { loaded: 320, alone: 20, processed: 10 };
  const loaded = await redemptionLoad(sandbox, counts.loaded, { seconds: 60 });
  results.record('loadedStatements', (await recordStatements(sandbox, 'API', () => sendLoad(loaded))).count / counts.loaded);
  await allProcessed(sandbox.pool);
  const alone = { ...(await redemptionLoad(sandbox, counts.alone, { seconds: 60 })), connections: 1 };
  results.record('aloneStatements', (await recordStatements(sandbox, 'API', () => sendLoad(alone))).count / counts.alone);
  await allProcessed(sandbox.pool);
  const rest = await recordStatements(sandbox, 'all', () => delay(restMs));
  results.record('idleStatements', rest.count / rest.seconds);
  // One order after the other, each until it is processed. What the processes ask at rest in the same time is not the orders'.
  const ofEach = async (load: Load) => {
    const { count, seconds: taken } = await recordStatements(sandbox, 'all', async () => {
      for (const body of load.bodies) {
        await sendLoad({ ...load, bodies: [body], connections: 1 });
        await allProcessed(sandbox.pool);
      }
    });
    return (count - (rest.count / rest.seconds) * taken) / load.bodies.length;
  };
  results.record('creditStatements', await ofEach(creditLoad(sandbox, counts.processed, { seconds: 60 })));
  results.record('redemptionStatements', await ofEach(await redemptionLoad(sandbox, counts.processed, { seconds: 60 })));
}

/** Long enough that what is asked every few seconds is asked several times. */
const restMs = 30_000;

const warm = new WeakSet<BenchSandbox>();

/** Sends redemptions before the first ones that are measured, so that code is compiled and connections are open. Right after the start some may fail. */
async function warmUpRedemptions(sandbox: BenchSandbox): Promise<void> {
  if (warm.has(sandbox)) return;
  // Statistics of a ledger without a redemption, which autovacuum may make at any time: plans must do with them.
  await holdersOf(sandbox);
  await sandbox.pool.query('analyze');
  await sendLossyLoad(await redemptionLoad(sandbox, warmUpCount, { seconds: 60 }));
  await allProcessed(sandbox.pool);
  warm.add(sandbox);
}

async function redemptionLoad(sandbox: BenchSandbox, count: number, pace: Load['pace']): Promise<Load> {
  const { file, partnerToken: token } = sandbox;
  return { url: file.apiUrl, path: '/orders', token, bodies: signedRedemptions(await holdersOf(sandbox), count), connections, pace };
}
