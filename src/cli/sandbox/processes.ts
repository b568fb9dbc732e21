import path from 'node:path';
import { startEmbeddedPostgres } from '../../platform/process/embedded-postgres.ts';
import type { Running } from '../../platform/loop.ts';
import { type Instance, sandboxChains } from './instance.ts';
import { startChain } from './networks.ts';
import { startServiceProcess } from './service-process.ts';
import { type Part, type Supervised, supervise } from './supervise.ts';
import type { Terminal } from './terminal.ts';

export interface ProcessesOptions {
  dataDir: string;
  blockTimeSeconds: number;
  terminal: Terminal;
}

/** All processes of the sandbox. */
export interface SandboxProcesses extends Running {
  /** Rejects when one of them cannot live at all. */
  failed: Promise<never>;
  /** The database and the chains. */
  startBase(instance: Instance): Promise<{ databaseUrl: string; rpcUrls: Record<string, string> }>;
  /** Mintrail's own, under these variables. */
  startOwn(env: Record<string, string | undefined>): void;
}

const ownProcesses: Record<string, string[]> = {
  api: ['api'],
  ...Object.fromEntries(sandboxChains.map((chain) => [`worker-${chain}`, ['worker', '--chain', chain]])),
  'worker-common': ['worker', '--common'],
  ...Object.fromEntries(sandboxChains.map((chain) => [`indexer-${chain}`, ['indexer', '--chain', chain]])),
};

/** Starts nothing yet; what is started later is kept running until all is closed, users before what they use. */
export function createSandboxProcesses(options: ProcessesOptions): SandboxProcesses {
  const { dataDir, terminal } = options;
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  const base: Supervised[] = [];
  const own: Supervised[] = [];
  const starting: Promise<unknown>[] = [];
  const state = { closing: false };
  const logFile = (name: string) => path.join(dataDir, 'logs', `${name}.log`);

  const keep = <T extends Part>(list: Supervised[], name: string, start: () => Promise<T> | T, first: T): T => {
    const supervised = supervise({ name, start, first, report: terminal.tell, logFile: logFile(name) });
    supervised.failed.catch((error: unknown) => failure.reject(error));
    list.push(supervised);
    return first;
  };
  const begin = async <T extends Part>(name: string, start: () => Promise<T>): Promise<T> => {
    const first = start();
    starting.push(first.catch(() => {}));
    return keep(base, name, start, await first);
  };

  return {
    failed: failure.promise,
    async startBase(instance) {
      const postgres = begin('postgres', () => startEmbeddedPostgres({ dataDir }));
      const chains = sandboxChains.map((chain) => begin(`anvil-${chain}`, () => startChain(chain, { ...options, instance })));
      const [database, ...anvils] = await Promise.all([postgres, ...chains]);
      const rpcUrls = Object.fromEntries(sandboxChains.map((chain, index) => [chain, anvils[index]?.url ?? '']));
      return { databaseUrl: database.url('postgres'), rpcUrls };
    },
    startOwn(env) {
      if (state.closing) return;
      for (const [name, args] of Object.entries(ownProcesses)) {
        const report = (line: string): void => {
          // While all is being closed, lost connections are no news.
          if (!state.closing) terminal.tell(`[${name}] ${line}`);
        };
        const start = (): Part => startServiceProcess({ args, env, logFile: logFile(name), onError: report });
        keep(own, name, start, start());
      }
    },
    async close() {
      state.closing = true;
      await Promise.all(starting);
      await Promise.all(own.map((part) => part.close()));
      await Promise.all(base.map((part) => part.close()));
    },
  };
}
