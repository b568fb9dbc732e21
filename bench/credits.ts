import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { allProcessed, now, type OrderFigures, readFigures } from './orders.ts';
import { judged, print } from './report.ts';
import type { BenchSandbox } from './sandbox.ts';

/** Requests in flight at once, as on a bank's connection. */
const connections = 32;

/** Orders per second that a network must process after its first block. */
const leastRate = 500;

/** Credits per second. */
const steadyRate = 10;
const steadySeconds = 30;

/** Longest time from credit to processed: a block of the sandbox and half a second more, with 0 confirmations. */
const mostWaitSeconds = 1 + 0.5;

/** Sends credits to warm everything up: compiled code, connections, the holder's first balance. */
export async function warmUp(sandbox: BenchSandbox): Promise<void> {
  const since = await now(sandbox.pool);
  await postMany(sandbox, 50);
  await allProcessed(sandbox.pool, since, 50);
  await delay(2_000);
}

/** Measures credits at once over HTTP; the API shares the machine with the rest. */
export async function benchHttp(sandbox: BenchSandbox, count: number): Promise<void> {
  const since = await now(sandbox.pool);
  const used = processorTime(sandbox);
  const startedAt = performance.now();
  await postMany(sandbox, count);
  const accepted = (performance.now() - startedAt) / 1_000;
  await allProcessed(sandbox.pool, since, count);
  const figures = await readFigures(sandbox.pool, since);
  print(`${count} credits at once over HTTP, one network, 1 s blocks`, [
    ['accepted', `${Math.round(count / accepted)} credits/s`],
    ['processed, from the first credit to the last processed', `${Math.round(count / figures.total)} credits/s`],
    ...figureRows(figures),
    ['processor time', used()],
  ]);
}

/** Measures how long a credit takes at a low, steady rate. */
export async function benchSteady(sandbox: BenchSandbox): Promise<void> {
  const since = await now(sandbox.pool);
  const posts: Promise<unknown>[] = [];
  const startedAt = performance.now();
  for (let index = 0; index < steadyRate * steadySeconds; index += 1) {
    posts.push(postCredit(sandbox));
    await delay(Math.max(0, startedAt + ((index + 1) * 1_000) / steadyRate - performance.now()));
  }
  await Promise.all(posts);
  await allProcessed(sandbox.pool, since, posts.length);
  const { median, p95, p99 } = await readFigures(sandbox.pool, since);
  print(`${steadyRate} credits a second for ${steadySeconds} s, 1 s blocks`, [
    ['credit to processed, median', `${median.toFixed(2)} s`],
    ['95th percentile', judged(`${p95.toFixed(2)} s`, p95 <= mostWaitSeconds, `at most ${mostWaitSeconds} s`)],
    ['99th percentile', `${p99.toFixed(2)} s`],
  ]);
}

/** The figures of a burst of credits. With `isJudged`, the rate is compared with the least one. */
export function figureRows(figures: OrderFigures, isJudged = false): [string, string][] {
  const { count, later, drain, median, p99, transactions, blocks, gas } = figures;
  const rate = later === 0 ? count : later / drain;
  const shown = `${Math.round(rate)} credits/s`;
  return [
    ['processed, after the first block', isJudged ? judged(shown, rate >= leastRate, `at least ${leastRate}`) : shown],
    ['credit to processed', `median ${median.toFixed(2)} s, 99th percentile ${p99.toFixed(2)} s`],
    ['transactions', `${transactions} in ${blocks} blocks`],
    ['gas per credit', Math.round(gas).toLocaleString('en')],
  ];
}

/** Starts counting. The returned function describes the processor time of each process since then, the busiest first. */
export function processorTime(sandbox: BenchSandbox): () => string {
  const before = new Map(sandbox.processes().map(({ pid, cpu }) => [pid, cpu]));
  return () =>
    sandbox
      .processes()
      .map(({ pid, name, cpu }) => ({ name: name.split(' ').slice(0, 4).join(' '), cpu: cpu - (before.get(pid) ?? 0) }))
      .filter(({ cpu }) => cpu >= 0.1)
      .sort((a, b) => b.cpu - a.cpu)
      .map(({ name, cpu }) => `${cpu.toFixed(1)} s ${name}`)
      .join('\n');
}

async function postMany(sandbox: BenchSandbox, count: number): Promise<void> {
  let left = count;
  const post = async () => {
    while (left-- > 0) await postCredit(sandbox);
  };
  await Promise.all(Array.from({ length: connections }, post));
}

function postCredit({ client, iban }: BenchSandbox) {
  const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
  const body = { iban, amount: '1.00', currency: 'eur', payer, remittance: 'bench', reference: randomUUID() } as const;
  return client.post('/sandbox/credits', { body });
}
