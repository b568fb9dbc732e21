import { inject } from 'vitest';
import type { SandboxFile } from '../../src/cli/running-sandbox.ts';

/** The sandbox that the files of the group `sandbox` share, once it is ready. Each file has accounts and customers of its own there, and kills nothing. */
export async function sharedSandbox(): Promise<{ dataDir: string; file: SandboxFile }> {
  const answer = await fetch(inject('sandboxStarter'));
  if (!answer.ok) throw new Error(await answer.text());
  return { dataDir: inject('sandboxFolder'), file: (await answer.json()) as SandboxFile };
}
