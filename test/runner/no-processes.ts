import childProcess, { type SpawnOptions } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

/** Ends by itself within seconds and listens nowhere, so it disturbs nobody. */
const harmless = 'document-process.ts';

const { spawn } = childProcess;

const starters = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawnSync'] as const;

// A file that starts processes and is named as if it did not fails here, instead of disturbing others.
for (const name of starters) Object.assign(childProcess, { [name]: () => forbid(name) });
childProcess.spawn = ((command: string, args: readonly string[] | undefined, options: SpawnOptions) =>
  args?.some((argument) => argument.endsWith(harmless)) ? spawn(command, args ?? [], options) : forbid('spawn')) as typeof spawn;
syncBuiltinESMExports();

function forbid(name: string): never {
  throw new Error(`${name} was called in a process that test files share: a file whose tests start processes is named *.process.test.ts`);
}
