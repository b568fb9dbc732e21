import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { chains } from '../platform/chains.ts';
import { loadNetworks, loadSettings, type Settings, settingsSchema } from '../platform/settings.ts';

/** File in the data folder with the variables under which the sandbox runs its processes. */
export const environmentFile = 'environment.json';

/** The settings of a command: from the environment, or where no database is named there, those of the sandbox in the data folder. */
export function cliSettings(env: Record<string, string | undefined> = process.env): Settings {
  return loadSettings(env['DATABASE_URL'] ? env : withSandbox(env));
}

/** What a command needs that works with networks and no ledger. */
export interface NetworkEnvironment {
  environment: Settings['MINTRAIL_ENVIRONMENT'];
  networks: Settings['networks'];
  variables: Record<string, string | undefined>;
}

/** The networks of the environment, or where it has none, those of the sandbox in the data folder. Throws `invalid_settings`. */
export function cliNetworks(env: Record<string, string | undefined> = process.env): NetworkEnvironment {
  const isConfigured = chains.some((chain) => env[`${chain.toUpperCase()}_TOKENS`]);
  const variables = isConfigured || env['DATABASE_URL'] ? env : withSandbox(env);
  const { MINTRAIL_ENVIRONMENT } = settingsSchema.pick({ MINTRAIL_ENVIRONMENT: true }).parse(variables);
  return { environment: MINTRAIL_ENVIRONMENT, networks: loadNetworks(variables), variables };
}

function withSandbox(env: Record<string, string | undefined>): Record<string, string | undefined> {
  const file = path.join(env['MINTRAIL_DATA_DIR'] || '.mintrail', environmentFile);
  return { ...env, ...(existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {}) };
}
