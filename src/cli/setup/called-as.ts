import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellWord } from '../../platform/shell-word.ts';

const program = realpathSync(fileURLToPath(new URL('../mintrail.mjs', import.meta.url)));

/**
 * How this program is called from the working folder: `npx mintrail` where npx has started it, `mintrail` where that is it on PATH, and by its path
 * otherwise.
 */
export function calledAs(env: Readonly<NodeJS.ProcessEnv> = process.env): string {
  if (env['npm_command'] === 'exec') return 'npx mintrail';
  const onPath = (env['PATH'] ?? '').split(path.delimiter).map((folder) => path.join(folder, 'mintrail'));
  if (onPath.some((file) => existsSync(file) && realpathSync(file) === program)) return 'mintrail';
  return `node ${shellWord(path.relative('', program))}`;
}
