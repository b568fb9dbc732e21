import type { Results } from './figures.ts';
import { type ProcessFigures, type ProcessKind, proportionalMegabytes } from './processes.ts';
import { print } from './report.ts';
import type { BenchSandbox } from './sandbox.ts';

/** Reading the memory of a process stops it for some milliseconds. */
const intervalMs = 5_000;

const watched = ['chain worker', 'common worker', 'API', 'indexer'] as const satisfies ProcessKind[];

/** Follows the memory of processes while they work. */
export interface MemoryWatch {
  /** Ends and records the most memory that one process of each kind has had. */
  stop(results: Results): Promise<void>;
}

/** Starts following. */
export function watchMemory(sandbox: BenchSandbox): MemoryWatch {
  const most = new Map<ProcessKind, number>();
  const look = (): void => {
    const owners = Map.groupBy(sandbox.processes(), ({ owner }) => owner).values();
    for (const group of owners) {
      const { kind } = group[0] as ProcessFigures;
      if (!watched.some((name) => name === kind)) continue;
      const megabytes = memoryOf(kind, group);
      most.set(kind, Math.max(most.get(kind) ?? 0, megabytes));
    }
  };
  const timer = setInterval(look, intervalMs);
  return {
    async stop(results) {
      clearInterval(timer);
      look();
      const orders = await orderCount(sandbox);
      results.record('workerMemory', most.get('chain worker') ?? Number.NaN);
      results.record('apiMemory', most.get('API') ?? Number.NaN);
      results.record('indexerMemory', most.get('indexer') ?? Number.NaN, `${orders.toLocaleString('en')} orders`);
      print(
        'most memory of one process, with those that it has started',
        [...most].map(([kind, megabytes]) => [kind, `${Math.round(megabytes)} MB`]),
      );
    },
  };
}

/** Memory of a process and of those that it has started. An indexer of several networks has a Ponder for each: the largest counts, as if it had one network. */
function memoryOf(kind: ProcessKind, group: readonly ProcessFigures[]): number {
  const megabytes = group.map(({ pid, owner }) => ({ isOwner: pid === owner, pss: proportionalMegabytes(pid) }));
  const started = megabytes.filter(({ isOwner }) => !isOwner).map(({ pss }) => pss);
  const own = megabytes.find(({ isOwner }) => isOwner)?.pss ?? 0;
  return own + (kind === 'indexer' ? Math.max(0, ...started) : started.reduce((sum, pss) => sum + pss, 0));
}

async function orderCount({ pool }: BenchSandbox): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from orders');
  return rows[0]?.count ?? 0;
}
