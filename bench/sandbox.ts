import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../src/platform/free-port.ts';

/** What `sandbox.json` says. */
export interface SandboxFile {
  apiUrl: string;
  applications: { private: { clientId: string; clientSecret: string } };
  chains: Record<string, { chainId: number; rpcUrl: string; tokens: Record<string, `0x${string}`> }>;
  accounts: { address: `0x${string}`; privateKey: `0x${string}` }[];
}

export interface BenchSandbox {
  file: SandboxFile;
  databaseUrl: string;
  processes: () => { pid: number; name: string }[];
  stop(): Promise<void>;
}

const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));

/** Starts a sandbox of its own in a folder of its own, as `npm start` does, and waits until it is ready. */
export async function startBenchSandbox(): Promise<BenchSandbox> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-bench-'));
  const port = await freePort();
  const child = spawn(process.execPath, [main, 'sandbox'], {
    env: { ...process.env, MINTRAIL_DATA_DIR: dataDir, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const file = path.join(dataDir, 'sandbox.json');
  while (!existsSync(file)) {
    if (child.exitCode !== null) throw new Error(`the sandbox ended with exit code ${child.exitCode}`);
    await delay(100);
  }
  const environment = JSON.parse(readFileSync(path.join(dataDir, 'environment.json'), 'utf8')) as { DATABASE_URL: string };
  return {
    file: JSON.parse(readFileSync(file, 'utf8')) as SandboxFile,
    databaseUrl: environment.DATABASE_URL,
    processes: () => descendants(child.pid as number),
    async stop() {
      child.kill('SIGINT');
      await exited;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The programs that a process has started, and those that they have, each once: PostgreSQL's own children are left out. */
function descendants(root: number): { pid: number; name: string }[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid)));
  const found: { pid: number; name: string }[] = [];
  const visit = (parent: number) => {
    for (const { pid, name } of all.filter((process) => process.parent === parent)) {
      found.push({ pid, name });
      if (!name.startsWith('postgres')) visit(pid);
    }
  };
  visit(root);
  return found;
}

function readProcess(pid: number): { pid: number; parent: number; name: string }[] {
  try {
    const parent = Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
    const name = words
      .map((word) => path.basename(word))
      .join(' ')
      .replace(/^node (--\S+ )*/, '')
      .slice(0, 60);
    return [{ pid, parent, name }];
  } catch {
    return [];
  }
}
