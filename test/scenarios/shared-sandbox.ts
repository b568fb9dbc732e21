import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inject } from 'vitest';
import type { SandboxFile } from '../../src/cli/sandbox/sandbox-process.ts';
import { until } from '../support/until.ts';

/** The sandbox that the files of the group `sandbox` share, once it is ready. Each file has accounts and customers of its own there, and kills nothing. */
export async function sharedSandbox(): Promise<{ dataDir: string; file: SandboxFile }> {
  const dataDir = inject('sandboxFolder');
  const sandboxFile = path.join(dataDir, 'sandbox.json');
  await until('the shared sandbox is ready', async () => existsSync(sandboxFile) || undefined, 300);
  return { dataDir, file: JSON.parse(readFileSync(sandboxFile, 'utf8')) as SandboxFile };
}
