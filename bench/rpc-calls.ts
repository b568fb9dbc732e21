import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { environmentFile } from '../src/cli/cli-settings.ts';
import { networkVariable } from '../src/platform/settings.ts';
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts';
import { creditLoad } from './credits.ts';
import type { Results } from './figures.ts';
import { sendLossyLoad } from './load/load.ts';
import { allProcessed, now, readFigures } from './orders.ts';
import { print } from './report.ts';
import { benchChain, type BenchSandbox } from './sandbox.ts';

const program = fileURLToPath(new URL('../src/cli/mintrail.mjs', import.meta.url));

/** With blocks of a second, as many are in flight. */
const perSecond = 200;
const seconds = 20;

/** Until a worker has started, and until it has its lanes, on a busy machine. */
const timeoutMs = 60_000;

/** Between two looks at what it has called. */
const lookMs = 20;

/** Blocks in which a lane that was taken looks again at what the worker before had mined, and closes it: calls of a take-over, and not of the load. */
const takeOverBlocks = 14;

/** Each mined transaction may cost two calls: it is sent, and its receipt is read. */
const callsPerTransaction = 2;

/**
 * Measures how often a network's worker calls its node while 200 orders are in flight. A second worker, whose calls are counted, waits for the lanes; it
 * gets them when the sandbox's own worker is killed. The one that the sandbox starts then waits in its place.
 */
export async function benchRpcCalls(sandbox: BenchSandbox, results: Results): Promise<void> {
  const proxy = await startCountingProxy(sandbox.rpcUrl);
  const variables = JSON.parse(readFileSync(path.join(sandbox.dataDir, environmentFile), 'utf8')) as Record<string, string>;
  const worker = spawn(process.execPath, [program, 'worker', '--chain', benchChain], {
    env: { PATH: process.env['PATH'], ...variables, [networkVariable(benchChain, 'rpcUrls')]: proxy.url },
    stdio: 'ignore',
  });
  const ended = once(worker, 'exit');
  try {
    await hasCalled(proxy, 'eth_getBlockByNumber', 1);
    for (const { pid, kind, name } of sandbox.processes())
      if (kind === 'chain worker' && name.includes(`--chain ${benchChain}`)) process.kill(pid, 'SIGKILL');
    const lanes = variables[networkVariable(benchChain, 'signers')]?.split(',').length ?? 1;
    // A lane begins with the nonce of its signer.
    await hasCalled(proxy, 'eth_getTransactionCount', lanes);
    await waitForBlocks(sandbox, takeOverBlocks);
    await measure(sandbox, results, proxy, lanes);
  } finally {
    worker.kill();
    await ended;
    await proxy.close();
  }
}

/** Waits until a method has been called that often. Throws when it is not. */
async function hasCalled(proxy: CountingProxy, method: string, times: number): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; (proxy.calls()[method] ?? 0) < times; await delay(lookMs))
    if (Date.now() > deadline) throw new Error(`the second worker has not called ${method} ${times} times`);
}

async function waitForBlocks(sandbox: BenchSandbox, blocks: number): Promise<void> {
  const from = await blockNumber(sandbox);
  for (const deadline = Date.now() + timeoutMs; (await blockNumber(sandbox)) < from + blocks; await delay(lookMs * 10))
    if (Date.now() > deadline) throw new Error(`the chain has not made ${blocks} blocks`);
}

async function measure(sandbox: BenchSandbox, results: Results, proxy: CountingProxy, lanes: number): Promise<void> {
  const since = await now(sandbox.pool);
  const before = { calls: proxy.calls(), block: await blockNumber(sandbox) };
  // A service that takes fewer has as many in flight, too.
  await sendLossyLoad(creditLoad(sandbox, perSecond * seconds, { perSecond }));
  const blocks = (await blockNumber(sandbox)) - before.block;
  const after = proxy.calls();
  await allProcessed(sandbox.pool);
  const { transactions } = await readFigures(sandbox.pool, since);
  const calls = Object.entries(after).map(([method, count]) => [method, count - (before.calls[method] ?? 0)] as const);
  const total = calls.reduce((sum, [, count]) => sum + count, 0);
  results.record('rpcCalls', (total - callsPerTransaction * transactions) / blocks / lanes);
  print(`RPC calls of a network's worker, ${perSecond} credits a second, ${lanes} lanes`, [
    ['blocks, transactions', `${blocks}, ${transactions}`],
    ...calls.sort(([, a], [, b]) => b - a).map(([method, count]): [string, string] => [method, `${(count / blocks).toFixed(1)} a block`]),
  ]);
}

async function blockNumber({ rpcUrl }: BenchSandbox): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
  const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return Number(((await response.json()) as { result: string }).result);
}
