import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startSandboxProcess, type SandboxFile } from '../src/cli/demo/sandbox-process.ts';
import { freePort } from '../src/platform/free-port.ts';
import { removePostgresHome } from '../src/platform/postgres-home.ts';

export interface BenchSandbox {
  file: SandboxFile;
  databaseUrl: string;
  processes: () => { pid: number; name: string }[];
  stop(): Promise<void>;
}

/** Starts a sandbox of its own in a folder of its own. */
export async function startBenchSandbox(): Promise<BenchSandbox> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-bench-'));
  // Root's database runs as another user, who must be able to enter.
  chmodSync(dataDir, 0o711);
  const { file, pid, stop } = await startSandboxProcess({ dataDir, port: await freePort(), output: 'inherit' });
  const environment = JSON.parse(readFileSync(path.join(dataDir, 'environment.json'), 'utf8')) as { DATABASE_URL: string };
  return {
    file,
    databaseUrl: environment.DATABASE_URL,
    processes: () => descendants(pid),
    async stop() {
      await stop();
      removePostgresHome(dataDir);
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
