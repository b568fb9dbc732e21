// A process that runs commands of `mintrail` one after another, as sandbox/main.ts runs one. mintrail.ts starts it.
import { sandboxCommands } from '../../../sandbox/commands.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { renderError } from '../../../src/cli/render-error.ts';

/** A command, as it is sent to the process. */
export interface CommandMessage {
  args: readonly string[];
  env: Record<string, string | undefined>;
  /** Is written on both streams when the command has ended, before its exit code. */
  endMark: string;
}

process.on('message', (message: CommandMessage) => void answer(message));

// The test has ended.
process.on('disconnect', () => process.exit());

async function answer(message: CommandMessage): Promise<void> {
  const code = await run(message);
  for (const stream of [process.stdout, process.stderr]) stream.write(`${message.endMark}${code}\n`);
}

async function run({ args, env }: CommandMessage): Promise<number | string> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(2, Infinity, ...args);
  process.exitCode = undefined;
  try {
    await (await createProgram(process.argv, sandboxCommands)).parseAsync();
    return process.exitCode ?? 0;
  } catch (error) {
    return renderError(error);
  }
}
