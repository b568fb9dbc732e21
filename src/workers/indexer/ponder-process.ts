import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { indexedNetworkEnvironment } from '../../indexed/indexed-network.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Running } from '../../platform/loop.ts';
import { type GuardedProcess, spawnGuarded } from '../../platform/process/guarded-process.ts';
import type { NetworkSettings } from '../../platform/settings.ts';

const root = fileURLToPath(new URL('../../../indexer/', import.meta.url));
const program = fileURLToPath(new URL('./ponder-program.ts', import.meta.url));

/** Pause before a process is restarted that ended by itself: Ponder waits for the lock of its schema anyway. */
const restartPauseMs = 1_000;

/**
 * Flags for V8 with this limit for old objects, which is a guard: reading the past takes hundreds of megabytes for moments, and V8 aborts at
 * the limit. By default V8 sizes the heap by the machine and collects garbage late: an idle indexer grew to 330 MB, of which it uses 85. Young
 * objects of 24 MB keep it at 200 MB; collecting old ones from 192 MB on (`--initial-old-space-size`) made it larger.
 */
export function memoryFlags(heapMegabytes: number): string[] {
  return ['--max-semi-space-size=8', `--max-old-space-size=${heapMegabytes}`];
}

/** Rows that Ponder keeps in memory while it reads the past; by default a fifth of V8's heap limit, which it then needs twice. */
const cacheBytes = 64 * 1024 * 1024;

/**
 * How the C library gives memory out, and where Node keeps compiled code, which saves a fifth of the processor time that Ponder takes to load: it
 * needs both as Mintrail's own processes do (`src/cli/node-runtime.mjs`).
 */
const runtime = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(MALLOC_|NODE_COMPILE_CACHE)/.test(name)));

/** One start of Ponder's command line. */
export interface PonderOptions {
  network: NetworkSettings;
  /** Where all endpoints of the network answer as one. */
  endpointsUrl: string;
  /** The command and its options, such as `['start', '--schema', 'idx_gnosis_1a2b3c4d']`. */
  command: readonly string[];
  databaseUrl: string;
  cwd?: string;
  /** Environment variables besides those that say what is indexed. */
  env?: Record<string, string>;
  nodeOptions: readonly string[];
  logFile: string;
}

/** Starts Ponder as a child process. It gets the database and an address for the network's endpoints, and no other setting. */
export function startPonder({
  network,
  endpointsUrl,
  command,
  databaseUrl,
  cwd,
  env,
  nodeOptions,
  logFile,
}: PonderOptions): GuardedProcess {
  return spawnGuarded({
    command: process.execPath,
    args: [...nodeOptions, program, ...command, '--root', root],
    signal: 'SIGINT',
    cwd: cwd ?? path.resolve(root, '..'),
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATABASE_URL: databaseUrl,
      PONDER_TELEMETRY_DISABLED: '1',
      PONDER_CACHE_BYTES: String(cacheBytes),
      ...runtime,
      ...indexedNetworkEnvironment(network, endpointsUrl),
      ...env,
    },
    logFile,
  });
}

/** A process that is kept running until it is closed. */
export interface KeptProcess extends Running {
  /** Ends the process that runs, by force when it does not listen. Another is started. */
  stop(): Promise<void>;
  /** The process that runs goes on, and when it has ended no other is started. */
  retire(): void;
}

/** Keeps a process running: `start` is called again, after a pause, whenever it has ended or could not be started. */
export function keepRunning(name: string, start: () => GuardedProcess | Promise<GuardedProcess>, log: Log): KeptProcess {
  const state = { closed: false };
  let child: GuardedProcess | undefined;
  const run = async () => {
    while (!state.closed) {
      try {
        child = await start();
        if (state.closed) await child.stop();
        const exit = await child.exited;
        if (state.closed) return;
        log.error({ ...exit }, `${name} ended; restarting it`);
      } catch (error) {
        if (state.closed) return;
        log.error({ err: messageOf(error) }, `${name} cannot be started; trying again`);
      }
      await new Promise((resolve) => setTimeout(resolve, restartPauseMs));
    }
  };
  const ended = run();
  return {
    async stop() {
      await child?.stop();
    },
    retire() {
      state.closed = true;
    },
    async close() {
      state.closed = true;
      await child?.stop();
      await ended;
    },
  };
}
