import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { RetryError, StopError } from '../errors.ts';
import { rememberedPort } from './free-port.ts';
import { type Exit, spawnGuarded } from './guarded-process.ts';
import { endNoted, noteProcess } from './process-identity.ts';
import type { Running } from '../loop.ts';

export interface AnvilOptions {
  /** Folder of this chain: its state and its port, so that it continues where it was. */
  folder: string;
  chainId: number;
  mnemonic: string;
  /** Seconds between blocks. Never automine: it loses transactions that are sent at the same time. */
  blockTimeSeconds: number;
  logFile: string;
}

/** A local chain that continues where it ended, and never outlives this process. */
export interface Anvil extends Running {
  url: string;
  exited: Promise<Exit>;
}

/** A long-lived chain has a few hundred megabytes to load. */
const startTimeoutMs = 60_000;

/** And as many to write when it ends. */
const graceMs = 20_000;

/** Accounts that Anvil funds; the sandbox gives them out by index. */
const fundedAccounts = 20;

/** Starts the chain of a folder. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { folder, logFile } = options;
  mkdirSync(folder, { recursive: true });
  const pidFile = path.join(folder, 'anvil.pid');
  // The one before may still be writing the state that this one is about to read.
  await endNoted(pidFile, graceMs);
  const state = path.join(folder, 'state.json');
  checkState(state);
  const port = await rememberedPort(path.join(folder, 'port'));
  const args = anvilArguments(options, { port, state, timestamp: genesisTime(path.join(folder, 'genesis-time'), existsSync(state)) });
  const chain = spawnGuarded({ command: binary(), args, signal: 'SIGTERM', graceMs, logFile });
  if (chain.pid > 0) noteProcess(pidFile, chain.pid);
  const url = `http://127.0.0.1:${port}`;
  const ended = chain.exited.then(() => 'ended' as const);
  if ((await Promise.race([ended, answering(url, options.chainId)])) !== 'answers') {
    await chain.stop();
    throw failedStart(logFile, options.chainId);
  }
  // Its clock begins at block 0 again, and has until the next block to be put right.
  await call(url, 'evm_setTime', [now()]);
  return { url, exited: chain.exited, close: async () => void (await chain.stop()) };
}

/**
 * Seconds since 1970 of block 0. Anvil makes block 0 anew whenever it loads its state; only with the same time has it the same
 * hash, and an indexer that begins there finds the chain it knows.
 */
function genesisTime(file: string, continues: boolean): number {
  if (!continues || !existsSync(file)) writeFileSync(file, `${now()}\n`);
  return Number(readFileSync(file, 'utf8'));
}

function now(): number {
  return Math.floor(Date.now() / 1_000);
}

function anvilArguments(
  { chainId, mnemonic, blockTimeSeconds }: AnvilOptions,
  { port, state, timestamp }: { port: number; state: string; timestamp: number },
): string[] {
  const options = {
    host: '127.0.0.1',
    port,
    timestamp,
    'chain-id': chainId,
    mnemonic,
    accounts: fundedAccounts,
    'block-time': blockTimeSeconds,
    order: 'fifo',
    // `safe` and `finalized` follow the head by 8 and 16 blocks: near enough to watch, far enough to be something else than the head.
    'slots-in-an-epoch': 8,
    'gas-limit': 30_000_000,
    state,
    // Bounds what a killed chain forgets; one that ends in order forgets nothing.
    'state-interval': 1,
  };
  // The limit of EIP-7825 holds on real networks and bounds the batch size, so it holds here too.
  return [...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]), '--enable-tx-gas-limit', '--quiet'];
}

function binary(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/anvil`);
  } catch (error) {
    throw new StopError({
      code: 'no_anvil',
      message: `The package ${name} is not installed: local chains are brought along for linux-x64 only`,
      cause: error,
    });
  }
}

async function answering(url: string, chainId: number): Promise<'answers' | 'silent'> {
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
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result } = (await response.json()) as { result?: unknown };
  return result;
}

/** A chain that is killed while it writes leaves half a file, which it would later refuse without saying why. */
function checkState(file: string): void {
  if (!existsSync(file)) return;
  const descriptor = openSync(file, 'r');
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, Math.max(0, size - 1));
  closeSync(descriptor);
  if (size > 0 && last.toString() === '}') return;
  throw new StopError({
    code: 'chain_state_damaged',
    message: `${file} is incomplete: the chain was killed while it wrote. Begin anew with \`npm start -- --fresh\``,
  });
}

function failedStart(logFile: string, chainId: number): RetryError {
  const said = readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join('\n');
  return new RetryError({ code: 'chain_not_started', message: `The local chain ${chainId} did not start (see ${logFile}):\n${said}` });
}
