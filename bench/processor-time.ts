import type { ProcessKind } from './processes.ts';
import type { BenchSandbox } from './sandbox.ts';

/** Processor time in seconds, by what used it; `client` is the benchmark's own process that sends requests. */
export type ProcessorTime = Partial<Record<ProcessKind | 'client', number>>;

/** Starts counting. The returned function says how much processor time each kind of process has used since then. */
export function countProcessorTime(sandbox: Pick<BenchSandbox, 'processes'>): () => ProcessorTime {
  const before = sum(sandbox);
  return () => {
    const after = sum(sandbox);
    return Object.fromEntries(Object.entries(after).map(([kind, seconds]) => [kind, seconds - (before[kind as ProcessKind] ?? 0)]));
  };
}

/** Milliseconds for each of `items` that some kinds of processes have used together. */
export function millisecondsPerItem(time: ProcessorTime, items: number, ...kinds: (keyof ProcessorTime)[]): number {
  return (kinds.reduce((seconds, kind) => seconds + (time[kind] ?? 0), 0) * 1_000) / items;
}

/** Rows of a table: the milliseconds per item of each kind of process, the busiest first. */
export function processorTimeRows(time: ProcessorTime, items: number): [string, string][] {
  return (Object.keys(time) as (keyof ProcessorTime)[])
    .map((kind) => [kind, millisecondsPerItem(time, items, kind)] as const)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, each]) => [`processor time, ${kind}`, `${each.toFixed(2)} ms each`]);
}

function sum({ processes }: Pick<BenchSandbox, 'processes'>): ProcessorTime {
  const time: ProcessorTime = {};
  for (const { kind, cpu } of processes()) time[kind] = (time[kind] ?? 0) + cpu;
  return time;
}
