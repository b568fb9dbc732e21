import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { patienceMs } from '../patience.ts';

export type AnvilOptions = {
  /** Seconds between blocks, fractions allowed. Without it nothing is mined until `evm_mine`: Anvil's automine loses concurrent transactions. */
  blockTime?: number;
  chainId?: number;
  /** A fixed port, for tests that restart a chain in the same place. Otherwise a free one. */
  port?: number;
  /** File that is loaded on start, if it exists, and written when Anvil ends by SIGTERM. */
  state?: string;
  /** 1 lets the `safe` and `finalized` tags follow the head by one and two blocks. */
  slotsInAnEpoch?: number;
  blockGasLimit?: bigint;
  /** Anything else, as on the command line. */
  args?: readonly string[];
};

export type Anvil = {
  url: string;
  port: number;
  pid: number;
  stop(signal?: NodeJS.Signals): Promise<void>;
};

const running = new Set<ChildProcess>();
let exitHookInstalled = false;

/** Starts a local chain; it ends with `stop()`, and at the latest together with this process, however that ends. */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  installExitHook();
  const child = spawn(anvilBinary(), anvilArguments(options), { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const port = await listening(child);
  const pid = child.pid;
  if (pid === undefined) throw new Error('Anvil has no process id');
  const watchdog = startWatchdog(pid);
  child.unref();

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid,
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      watchdog.kill('SIGKILL');
      if (hasEnded(child)) return;
      child.ref();
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill(signal);
      await ended;
    },
  };
}

function anvilBinary(): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  return createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${process.platform}-${arch}/bin/anvil`);
}

function anvilArguments(options: AnvilOptions): string[] {
  const mining = options.blockTime === undefined ? ['--no-mining'] : ['--block-time', String(options.blockTime)];
  return [
    '--host',
    '127.0.0.1',
    '--port',
    String(options.port ?? 0),
    ...mining,
    // The limit of EIP-7825 holds on real networks and bounds the batch size, so it holds here too.
    '--enable-tx-gas-limit',
    ...(options.chainId === undefined ? [] : ['--chain-id', String(options.chainId)]),
    ...(options.state === undefined ? [] : ['--state', options.state]),
    ...(options.slotsInAnEpoch === undefined ? [] : ['--slots-in-an-epoch', String(options.slotsInAnEpoch)]),
    ...(options.blockGasLimit === undefined ? [] : ['--gas-limit', String(options.blockGasLimit)]),
    ...(options.args ?? []),
  ];
}

function listening(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`Anvil did not listen within ${patienceMs} ms: ${output}`));
    }, patienceMs);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`Anvil ended with ${code}: ${output}`));
    });
    // Both pipes are drained for as long as Anvil lives: a full pipe would block it.
    const read = (chunk: Buffer) => {
      if (output.length < 100_000) output += chunk.toString();
      const match = /Listening on [\d.]+:(\d+)/.exec(output);
      if (!match) return;
      clearTimeout(timer);
      output = '';
      for (const stream of [child.stdout, child.stderr]) stream?.removeListener('data', read).resume();
      for (const stream of [child.stdout, child.stderr]) (stream as { unref?: () => void } | null)?.unref?.();
      resolve(Number(match[1]));
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
  });
}

/** Survives us by a moment: our end of its standard input closes even when this process is killed without warning, and then it ends Anvil. */
function startWatchdog(pid: number): ChildProcess {
  const watchdog = spawn('sh', ['-c', 'read _; kill "$1" 2>/dev/null', 'anvil-watchdog', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watchdog.unref();
  (watchdog.stdin as { unref?: () => void } | null)?.unref?.();
  return watchdog;
}

function installExitHook(): void {
  if (exitHookInstalled) return;
  exitHookInstalled = true;
  process.on('exit', () => {
    for (const child of running) child.kill('SIGKILL');
  });
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
