import { type Commands, createProgram } from './program.ts';
import { exitCodes, renderError } from './render-error.ts';

/** Carries out the command line of this process, by the commands of the service and those in `more`. */
export async function runProgram(more: Commands = {}): Promise<void> {
  // A reader such as `head` closes the pipe when it has enough: that is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  try {
    await (await createProgram(process.argv, more)).parseAsync();
  } catch (error) {
    const exitCode = renderError(error);
    // An open channel or pool would keep the process of a failed command alive.
    if (exitCode !== exitCodes.ok) process.exit(exitCode);
  }
}
