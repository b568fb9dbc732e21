// The program `mintrail` of a checkout: that of the service, with the commands that run all of it on one machine.
import { runProgram } from '../src/cli/run-program.ts';
import { sandboxCommands } from './commands.ts';

await runProgram(sandboxCommands);
