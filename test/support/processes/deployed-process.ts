import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { freePort } from '../../../src/platform/process/free-port.ts';
import { until } from '../until.ts';

const program = fileURLToPath(new URL('../../../src/cli/mintrail.mjs', import.meta.url));

/** Variables of a container on this machine: ports that are free, and its own addresses alone. */
export async function onThisMachine(variables: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const ports = await Promise.all(
    ['PORT', 'CONSOLE_PORT', 'METRICS_PORT']
      // Not the link to a service that Kubernetes puts there.
      .filter((name) => /^\d+$/.test(variables[name] ?? ''))
      .map(async (name) => [name, String(await freePort())]),
  );
  const hosts = ['HOST', 'CONSOLE_HOST'].filter((name) => name in variables).map((name) => [name, '127.0.0.1']);
  return { ...variables, ...(Object.fromEntries([...ports, ...hosts]) as Record<string, string>) };
}

/** The processes of a deployment that a test starts, each with an environment of its own. */
export interface DeployedProcesses {
  /** Starts a command of `mintrail`, and waits until it runs. Throws what it wrote if it ends, and fails if it logs an error. */
  start(name: string, command: readonly string[], variables: Readonly<Record<string, string>>): Promise<void>;
  /** Ends all that were started. */
  end(): Promise<void>;
}

/** No process runs at first. */
export function deployedProcesses(): DeployedProcesses {
  const running: ChildProcess[] = [];
  return {
    async start(name, command, variables) {
      const env = { PATH: process.env['PATH'], ...variables };
      const child = spawn(process.execPath, [program, ...command], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      running.push(child);
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const look = async () => {
        if (child.exitCode !== null) throw new Error(`${name} ended: ${output}`);
        return output.includes('"msg":"running"') || undefined;
      };
      await until(`${name} runs`, look);
      expect(output, name).not.toContain('"level":"error"');
    },
    async end() {
      await Promise.all(running.map(async (child) => (child.exitCode === null && child.kill('SIGKILL') ? once(child, 'exit') : [])));
    },
  };
}
