import { spawn } from 'node:child_process';
import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../src/cli/mintrail.mjs', import.meta.url));

/** Nobody can make a folder there, not even root. */
const noFolder = '/dev/null/data';

/** The operator who runs the commands, whoever runs the tests. */
export const testOperator = 'tester';

/** Runs `mintrail` with these arguments and no other environment variables than these. Resolves when it has ended. */
export function mintrail(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], MINTRAIL_DATA_DIR: noFolder, OPERATORS: `${userInfo().username}:${testOperator}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, stdout, stderr })),
  );
}
