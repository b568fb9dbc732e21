import { setTimeout as delay } from 'node:timers/promises';
import type { Results } from './figures.ts';
import { countProcessorTime } from './processor-time.ts';
import { type ProcessKind, proportionalMegabytes } from './processes.ts';
import { print } from './report.ts';
import type { BenchSandbox } from './sandbox.ts';

/** After the start the maker of swaps gets its tokens, indexers catch up, and the chains make blocks until those are final. */
const quietMs = 60_000;

const seconds = 60;

/** Measures a sandbox with its three networks that nobody uses. */
export async function benchIdle(sandbox: BenchSandbox, results: Results): Promise<void> {
  await delay(quietMs);
  const used = countProcessorTime(sandbox);
  await delay(seconds * 1_000);
  const time = used();
  const memory: Partial<Record<ProcessKind, number>> = {};
  for (const { pid, kind } of sandbox.processes()) memory[kind] = (memory[kind] ?? 0) + proportionalMegabytes(pid);
  results.record('idleCpu', (100 * total(time)) / seconds);
  results.record('idleMemory', total(memory));
  print(
    `idle for ${seconds} s, three networks`,
    (Object.keys(memory) as ProcessKind[]).map((kind) => [
      kind,
      `${((100 * (time[kind] ?? 0)) / seconds).toFixed(1)} % of a core, ${Math.round(memory[kind] ?? 0)} MB`,
    ]),
  );
}

function total(values: Partial<Record<string, number>>): number {
  return Object.values(values).reduce<number>((sum, value = 0) => sum + value, 0);
}
