import { randomUUID } from 'node:crypto';
import { creditStages, settledWithin, watchBlocks } from './block-arrivals.ts';
import type { Results } from './figures.ts';
import { type Load, sendLoad } from './load/load.ts';
import { allProcessed, now, type OrderFigures, readFigures } from './orders.ts';
import { countProcessorTime, millisecondsPerItem, processorTimeRows } from './processor-time.ts';
import { print } from './report.ts';
import type { BenchSandbox } from './sandbox.ts';

/** Requests in flight at once, as on a bank's connection. */
const connections = 32;

/** As many as have passed in the time by which a rate is told, at the rate that is aimed for. */
const httpCount = 10_000;

/** Longest that they are sent, so that a slow service does not lengthen the run. */
const httpSeconds = 20;

/** Credits per second. */
const steadyRate = 10;
const steadySeconds = 30;

/** Sends credits to warm everything up: compiled code, connections, the holder's first balance. */
export async function warmUp(sandbox: BenchSandbox): Promise<void> {
  await sendLoad(creditLoad(sandbox, 200, { seconds: 60 }));
  await allProcessed(sandbox.pool);
}

/** Measures credits at once over HTTP; the API shares the machine with the rest. */
export async function benchHttp(sandbox: BenchSandbox, results: Results): Promise<void> {
  const { pool } = sandbox;
  const load = creditLoad(sandbox, httpCount, { seconds: httpSeconds });
  const since = await now(pool);
  const used = countProcessorTime(sandbox);
  const { latencies, seconds, cpu } = await sendLoad(load);
  await allProcessed(pool);
  const time = { ...used(), client: cpu };
  const figures = await readFigures(pool, since);
  const { count, total } = figures;
  results.record('credits', latencies.length / seconds);
  results.record('creditPostgres', millisecondsPerItem(time, count, 'PostgreSQL'));
  print(`${count} credits by ${connections} clients over HTTP, one network, 1 s blocks`, [
    ['accepted', `${Math.round(latencies.length / seconds)} credits/s`],
    ['processed, from the first credit to the last processed', `${Math.round(count / total)} credits/s`],
    ...figureRows(figures),
    ...processorTimeRows(time, count),
  ]);
}

/** Measures how long a credit takes at a low, steady rate. */
export async function benchSteady(sandbox: BenchSandbox, results: Results): Promise<void> {
  const { pool, rpcUrl } = sandbox;
  const since = await now(pool);
  const blocks = await watchBlocks(rpcUrl);
  await sendLoad(creditLoad(sandbox, steadyRate * steadySeconds, { perSecond: steadyRate }));
  await allProcessed(pool);
  const { median, p95, p99 } = await readFigures(pool, since);
  results.record('steady', p95);
  const arrivals = blocks.stop();
  results.record('mintSettled', await settledWithin(pool, since, arrivals));
  const { stages, missed } = await creditStages(pool, since, arrivals);
  print(`${steadyRate} credits a second for ${steadySeconds} s, 1 s blocks`, [
    ['credit to processed', `median ${median.toFixed(2)} s, 95th percentile ${p95.toFixed(2)} s, 99th percentile ${p99.toFixed(2)} s`],
    ...Object.entries(stages).map(([stage, times]): [string, string] => [
      stage,
      `median ${Math.round(times.median)} ms, 95th percentile ${Math.round(times.p95)} ms`,
    ]),
    ['not in the first block after the credit', `${missed.toFixed(0)} %`],
  ]);
}

/** The figures of a burst of credits. */
export function figureRows({ rate, median, p99, transactions, blocks, legsPerTransaction, gas }: OrderFigures): [string, string][] {
  return [
    ['processed, after the first block', `${Math.round(rate)} credits/s`],
    ['credit to processed', `median ${median.toFixed(2)} s, 99th percentile ${p99.toFixed(2)} s`],
    ['transactions', `${transactions} in ${blocks} blocks, ${legsPerTransaction.toFixed(1)} legs each`],
    ['gas per credit', Math.round(gas).toLocaleString('en')],
  ];
}

/** Credits of one euro each to the sandbox's IBAN. */
export function creditLoad({ file, token, iban }: BenchSandbox, count: number, pace: Load['pace']): Load {
  const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
  const credit = { iban, amount: '1.00', currency: 'eur', payer, remittance: 'bench' };
  const bodies = Array.from({ length: count }, () => JSON.stringify({ ...credit, reference: randomUUID() }));
  return { url: file.apiUrl, path: '/sandbox/credits', token, bodies, connections, pace };
}
