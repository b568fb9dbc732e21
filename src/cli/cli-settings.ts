import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { loadSettings, type Settings } from '../platform/settings.ts';

/** File in the data folder with the variables under which the sandbox runs its processes. */
export const environmentFile = 'environment.json';

/** The settings of a command: from the environment, or where no database is named there, those of the sandbox in the data folder. */
export function cliSettings(env: Record<string, string | undefined> = process.env): Settings {
  if (env['DATABASE_URL']) return loadSettings(env);
  const file = path.join(env['MINTRAIL_DATA_DIR'] || '.mintrail', environmentFile);
  const sandbox = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {};
  return loadSettings({ ...env, ...sandbox });
}
