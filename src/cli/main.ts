import { createProgram } from './program.ts';
import { exitCodes, renderError } from './render-error.ts';

try {
  await createProgram().parseAsync();
} catch (error) {
  const exitCode = renderError(error);
  // An open channel or pool would keep the process of a failed command alive.
  if (exitCode !== exitCodes.ok) process.exit(exitCode);
}
