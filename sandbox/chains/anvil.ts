import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { RetryError, StopError } from '../../src/platform/errors.ts';
import { keepBlockPace, restingBlockSeconds } from './block-pace.ts';
import { ask, request } from './chain-request.ts';
import { keepSnapshots, restoreState, stateFile } from './chain-state.ts';
import { rememberedPort } from '../../src/platform/process/free-port.ts';
import { type Exit, spawnGuarded } from '../../src/platform/process/guarded-process.ts';
import { dropOldBlocks } from './old-blocks.ts';
import { endNoted, noteProcess } from '../process-identity.ts';
import type { Running } from '../../src/platform/loop.ts';

/** How a local chain is started. */
export interface AnvilOptions {
  /** Folder with the state and the port of this chain, so that it continues where it ended. */
  folder: string;
  chainId: number;
  mnemonic: string;
  /** Seconds between blocks while there is something to mine. Never automine: it loses transactions that are sent at the same time. */
  blockTimeSeconds: number;
  /** Blocks on top of one before its outcomes count. */
  confirmations?: number;
  logFile: string;
  /** The node whose chain it goes on, and the last block of that; without it, it begins with an empty block 0. */
  fork?: { url: string; block: number } | undefined;
  /** Called again and again while nothing is to be mined, with how many blocks it has made since its start. */
  onRest?: (blocks: number) => void;
  /** Called with a line for the user when its state cannot be stored. */
  report?: (line: string) => void;
}

/** A local chain that continues where it ended, and never outlives this process. */
export interface Anvil extends Running {
  url: string;
  /** Stores the state as it is now, whatever happens to the chain afterwards. Throws what the chain or the file system throws. */
  store: () => Promise<void>;
  exited: Promise<Exit>;
}

/** A chain that has run for long loads a few hundred megabytes. */
const startTimeoutMs = 180_000;

/** It also writes as much when it ends. */
const graceMs = 20_000;

/** Longer than any chain runs: snapshots are taken beside it. */
const neverSeconds = 1_000_000_000;

/** Blocks between the head and the newest block that is `safe`; `finalized` is twice as far. Soon enough for tests, and different from the head. */
const safeBlocks = 8;

/**
 * Blocks whose states Anvil keeps, in memory: twice as many as lie behind `finalized`, and more than workers look back. Each holds the hashes of all blocks before,
 * and those of 8,191 once more for contracts (EIP-2935), so that many of them are much. By default it keeps hundreds in memory and thousands more in files.
 */
const keptStates = 4 * safeBlocks;

/** Accounts that Anvil funds. The sandbox uses them by index. */
export const fundedAccountCount = 20;

/** Longer than the node behind a fork takes at most for an answer or an error. */
const forkTimeoutMs = 120_000;

/**
 * Ponder begins with the blocks that could still be replaced: as many as 240 at the head, whose logs are read one by one. On a new fork they are
 * made at once, so that none of them is one of the live network, which would be asked for it.
 */
const unreadBlocks = 256;

/** Starts the chain of a folder. Throws `not_possible` and `not_possible_yet`. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { folder, logFile } = options;
  mkdirSync(folder, { recursive: true });
  const pidFile = path.join(folder, 'anvil.pid');
  // The process before may still be writing the state.
  await endNoted(pidFile, graceMs);
  await restoreState(folder);
  const state = stateFile(folder);
  await dropOldBlocks(state);
  const port = await rememberedPort(path.join(folder, 'port'));
  const isNewFork = options.fork !== undefined && !existsSync(state);
  const args = [...anvilArguments(options, { port, state }), ...originArguments(options, state)];
  // It would write to the user's home otherwise. Its threads all work, so each needs memory of its own.
  const allocator = { MALLOC_ARENA_MAX: undefined, MALLOC_MMAP_THRESHOLD_: undefined, MALLOC_TRIM_THRESHOLD_: undefined };
  const env = { ...process.env, ...allocator, HOME: folder };
  const chain = spawnGuarded({ command: binary(), args, env, signal: 'SIGTERM', graceMs, logFile });
  if (chain.pid > 0) noteProcess(pidFile, chain.pid);
  const url = `http://127.0.0.1:${port}`;
  const ended = chain.exited.then(() => 'ended' as const);
  if ((await Promise.race([ended, waitForAnswer(url, options.chainId)])) !== 'answers') {
    await chain.stop();
    throw failedStart(logFile, options.chainId);
  }
  // Anvil's clock starts at the time of block 0 again. It must be set before the next block.
  await call(url, 'evm_setTime', [now()]);
  if (isNewFork) await call(url, 'anvil_mine', [`0x${unreadBlocks.toString(16)}`, '0x0']);
  const snapshots = keepSnapshots({ url, folder, logFile, report: options.report ?? (() => {}) });
  const { blockTimeSeconds, confirmations = 0, onRest = () => {} } = options;
  const pace = keepBlockPace({ url, blockTimeSeconds, settlingBlocks: 4 * safeBlocks + confirmations, onRest });
  // Who starts it again must find what the last snapshot leaves: it removes the state that the chain began with.
  const exited = chain.exited.then(async (exit) => {
    await Promise.all([snapshots.close(), pace.close()]);
    return exit;
  });
  return {
    url,
    exited,
    store: snapshots.store,
    async close() {
      await Promise.all([snapshots.close(), pace.close()]);
      await chain.stop();
    },
  };
}

/**
 * Time of block 0, in seconds since 1970. Anvil creates block 0 again whenever it loads its state. Only the same time gives it the same hash,
 * by which indexers recognise the chain.
 */
function genesisTime(file: string, continues: boolean): number {
  if (!continues || !existsSync(file)) writeFileSync(file, `${now()}\n`);
  return Number(readFileSync(file, 'utf8'));
}

function now(): number {
  return Math.floor(Date.now() / 1_000);
}

function anvilArguments({ chainId, mnemonic, blockTimeSeconds }: AnvilOptions, { port, state }: { port: number; state: string }): string[] {
  const options = {
    host: '127.0.0.1',
    port,
    'chain-id': chainId,
    mnemonic,
    accounts: fundedAccountCount,
    'block-time': Math.max(blockTimeSeconds, restingBlockSeconds),
    order: 'fifo',
    'slots-in-an-epoch': safeBlocks,
    'prune-history': keptStates,
    'gas-limit': 30_000_000,
    // Written when Anvil is stopped; without an interval it would be every minute, too.
    state,
    'state-interval': neverSeconds,
  };
  // Real networks have the gas limit of EIP-7825, which bounds the batch size. Pages in browsers of this machine are not to call the chain.
  const flags = ['--enable-tx-gas-limit', '--no-cors', '--quiet'];
  return [...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]), ...flags];
}

/** How the chain begins: at an own block 0, or behind a block of another node. */
function originArguments({ folder, chainId, fork }: AnvilOptions, state: string): string[] {
  if (!fork) return ['--timestamp', String(genesisTime(path.join(folder, 'genesis-time'), existsSync(state)))];
  const { url, block } = fork;
  const origin = { 'fork-url': url, 'fork-block-number': block, 'fork-chain-id': chainId, timeout: forkTimeoutMs, retries: 0 };
  // The node behind it keeps what it has read, and the rate limit.
  return [...Object.entries(origin).flatMap(([name, value]) => [`--${name}`, String(value)]), '--no-storage-caching', '--no-rate-limit'];
}

function binary(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/anvil`);
  } catch (error) {
    throw new StopError({
      code: 'not_possible',
      message: `The package ${name} is not installed: local chains are available on linux-x64 only`,
      cause: error,
    });
  }
}

async function waitForAnswer(url: string, chainId: number): Promise<'answers' | 'silent'> {
  for (const deadline = Date.now() + startTimeoutMs; Date.now() < deadline; await delay(30)) {
    try {
      if (Number(await call(url, 'eth_chainId', [])) === chainId) return 'answers';
    } catch {
      // Not listening yet.
    }
  }
  return 'silent';
}

async function call(url: string, method: string, params: unknown[]): Promise<unknown> {
  const { result } = (await (await ask(url, AbortSignal.timeout(startTimeoutMs), request(method, params))).json()) as { result?: unknown };
  return result;
}

function failedStart(logFile: string, chainId: number): RetryError {
  const lastLines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join('\n');
  return new RetryError({ code: 'not_possible_yet', message: `The local chain ${chainId} did not start (see ${logFile}):\n${lastLines}` });
}
