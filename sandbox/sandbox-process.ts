import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { StopError } from '../src/platform/errors.ts';
import { settingsEnvironment } from '../src/platform/settings.ts';
import { findSandbox, type SandboxFile } from '../src/cli/running-sandbox.ts';

/** A sandbox in a child process. */
export interface SandboxProcess {
  file: SandboxFile;
  pid: number;
  stop: () => Promise<void>;
}

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

/** Starts a sandbox as `npm start` does, and waits until it is ready. Throws `not_possible` when it ends before. */
export async function startSandboxProcess({
  dataDir,
  port,
  output,
}: {
  dataDir: string;
  port: number;
  output: 'inherit' | 'ignore';
}): Promise<SandboxProcess> {
  const child = spawn(process.execPath, [main, 'sandbox'], {
    env: { ...process.env, ...settingsEnvironment({ dataDir, port: String(port) }) },
    stdio: ['ignore', output, 'inherit', 'ipc'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  for (;;) {
    const file = await findSandbox(dataDir);
    if (file) return { file, pid: child.pid as number, stop: () => stop() };
    if (child.exitCode !== null)
      throw new StopError({
        code: 'not_possible',
        message: `The sandbox ended with exit code ${child.exitCode}: see ${path.join(dataDir, 'logs')}`,
      });
    await delay(100);
  }

  async function stop(): Promise<void> {
    child.kill('SIGINT');
    await exited;
  }
}
