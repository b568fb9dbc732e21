import type { ClientBase, Pool } from 'pg';
import type { FaultCounts } from '../faults.ts';
import type { SimulatedDatabase } from '../ledger/simulated-database.ts';
import type { RequestGuard } from '../node/endpoint.ts';

/** Where a process dies: at the statement or request of this number, counted from its start. */
export interface Death {
  atBorder: number;
  /** Whether what it was about to do is still done, and only the answer is lost. */
  isAfter: boolean;
}

/** A process that can die between any two of its statements and requests. */
export interface MortalProcess extends RequestGuard {
  isAlive(): boolean;
  /** A pool whose statements are borders; its connections end with the process. */
  createPool(max: number): Pool;
  /** Cuts one of its connections, which `choose` picks of so many. Returns false when it has none. */
  cutConnection(choose: (count: number) => number): Promise<boolean>;
  /** Waits until PostgreSQL has let go of all that closed connections held. */
  settleConnections(): Promise<void>;
  /** Ends the process, if it has not died. */
  kill(): Promise<void>;
}

/** What every call of a dead process gets. */
export class ProcessDied extends Error {
  constructor() {
    super('the process died');
  }
}

type Query = (...parameters: unknown[]) => Promise<unknown>;

/** Starts a process. The border at which it dies is noted among the faults, by the statement or method. */
export function startProcess(database: SimulatedDatabase, death: Death | undefined, faults: FaultCounts): MortalProcess {
  const clients = new Set<ClientBase>();
  const closing = new Set<number>();
  let borders = 0;
  let isAlive = true;
  let line: Promise<unknown> = Promise.resolve();

  const closeAll = () => {
    for (const client of clients) {
      closing.add(processId(client));
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    }
    clients.clear();
  };

  const die = (label: string): never => {
    isAlive = false;
    faults.note(`crash ${death?.isAfter ? 'after' : 'before'} ${label}`);
    closeAll();
    throw new ProcessDied();
  };

  const before = (label: string) => {
    if (!isAlive) throw new ProcessDied();
    borders += 1;
    if (borders === death?.atBorder && !death.isAfter) die(label);
  };
  const after = (label: string, border: number) => {
    if (!isAlive) throw new ProcessDied();
    if (border === death?.atBorder && death.isAfter) die(label);
  };

  /** One statement after the other, as they were begun: the answers of two connections would come in an order that nobody decides. */
  const inLine = async <T>(work: () => Promise<T>): Promise<T> => {
    const turn = line.then(work, work);
    line = turn.catch(() => {});
    return turn;
  };

  const watch = (client: ClientBase) => {
    clients.add(client);
    const query = client.query.bind(client) as unknown as Query;
    client.query = ((...parameters: unknown[]) => {
      const label = labelOf(parameters[0]);
      return inLine(async () => {
        before(label);
        const border = borders;
        const result = await query(...parameters);
        after(label, border);
        return result;
      });
    }) as unknown as typeof client.query;
  };

  return {
    isAlive: () => isAlive,
    before: async (label) => before(label),
    after: async (label) => after(label, borders),
    createPool(max) {
      const pool = database.createPool(max);
      pool.on('connect', watch);
      pool.on('remove', (client) => {
        clients.delete(client);
        closing.add(processId(client));
      });
      return pool;
    },
    async cutConnection(choose) {
      const client = clients.size === 0 ? undefined : [...clients][choose(clients.size)];
      if (!client) return false;
      const ended = new Promise((resolve) => client.once('end', resolve));
      await database.query('select pg_terminate_backend($1, 5000)', [processId(client)]);
      await ended;
      clients.delete(client);
      return true;
    },
    async settleConnections() {
      while (closing.size > 0) {
        const open = await database.query<{ pid: number }>('select pid from pg_stat_get_activity(null) where pid = any($1)', [
          [...closing],
        ]);
        closing.clear();
        for (const { pid } of open) closing.add(pid);
      }
    },
    async kill() {
      isAlive = false;
      closeAll();
      await this.settleConnections();
    },
  };
}

function processId(client: ClientBase): number {
  return (client as unknown as { processID: number }).processID;
}

/** The beginning of a statement, without its values. */
function labelOf(statement: unknown): string {
  const text = typeof statement === 'string' ? statement : ((statement as { text?: string } | undefined)?.text ?? '');
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 60);
}
