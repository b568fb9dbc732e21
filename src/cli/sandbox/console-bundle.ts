import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const script = path.join(project, 'scripts/build-console.mjs');

/**
 * Builds the pages of the console when they are missing or their sources have changed, beside the start of everything else, which goes first on the processor. Where the
 * libraries that they are built with are not installed, as in an image, they stay as they are. A failure is a warning: the service does not need them.
 */
export function buildConsoleBeside({ warn, stop }: { warn: (text: string) => void; stop: AbortSignal }): void {
  if (!existsSync(script) || !existsSync(path.join(project, 'node_modules/vite'))) return;
  const child = spawn(process.execPath, [script, '--if-stale'], { stdio: ['ignore', 'ignore', 'pipe'], signal: stop });
  // The service starts on the same cores, and is waited for.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  child.on('error', (error) => {
    if (error.name !== 'AbortError') warn(`The pages of the console are not built: ${error.message}`);
  });
  child.on('exit', (code) => {
    if (code !== null && code !== 0) warn(`The pages of the console are not built: ${Buffer.concat(errors).toString().trim()}`);
  });
}
