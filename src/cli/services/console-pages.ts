import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Running } from '../../platform/loop.ts';
import type { Log } from '../../platform/log.ts';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const script = path.join(project, 'scripts/build-console.mjs');

/**
 * Builds the pages of the console when they are missing or their sources have changed, beside everything else, which goes first on the processor. Where the
 * libraries that they are built with are not installed, as in the image, they stay as they are. A failure is a warning: without pages the console answers
 * how they are built. Closing it ends the build.
 */
export function buildConsolePages(log: Log): Running {
  if (!existsSync(script) || !existsSync(path.join(project, 'node_modules/vite'))) return { close: () => Promise.resolve() };
  const stop = new AbortController();
  const child = spawn(process.execPath, [script, '--if-stale'], { stdio: ['ignore', 'ignore', 'pipe'], signal: stop.signal });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  child.on('error', (error) => {
    if (error.name !== 'AbortError') log.warn({ err: error }, notBuilt);
  });
  child.on('exit', (code) => {
    if (code !== null && code !== 0) log.warn({ output: Buffer.concat(errors).toString().trim() }, notBuilt);
  });
  return {
    close() {
      stop.abort();
      return ended;
    },
  };
}

const notBuilt = 'the pages of the console are not built: `npm run build:console` builds them';
