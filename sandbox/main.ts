// The program `mintrail` of a checkout: that of the service, with the commands that run all of it on one machine.
import { useBundledDependencies } from '../src/platform/process/bundled-dependencies.mjs';

useBundledDependencies();
const [{ runProgram }, { sandboxCommands }] = await Promise.all([import('../src/cli/run-program.ts'), import('./commands.ts')]);
await runProgram(sandboxCommands);
