import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { chains } from '../platform/chains.ts';
import {
  type Environment,
  loadNetworks,
  loadSettings,
  loadSomeSettings,
  networkVariable,
  type Settings,
  settingsEnvironment,
  settingVariable,
} from '../platform/settings.ts';

/** File in the data folder with the environment variables of the sandbox's processes. */
export const environmentFile = 'environment.json';

/** The settings of a command: from the environment, or where that names no database, those of the sandbox in the data folder. Throws `invalid_settings`. */
export function cliSettings(env: Environment = process.env): Settings {
  return loadSettings(namesDatabase(env) ? env : withSandbox(env));
}

/** Some of these settings alone, from where {@link cliSettings} reads them. Throws `invalid_settings`. */
export function cliSomeSettings<Name extends keyof Settings>(names: readonly Exclude<Name, 'networks'>[], env: Environment = process.env) {
  return loadSomeSettings(names, namesDatabase(env) ? env : withSandbox(env));
}

/** The settings of a command that needs networks and no ledger. */
export interface NetworkEnvironment {
  environment: Settings['environment'];
  networks: Settings['networks'];
  variables: Environment;
}

/** The networks of the environment, or when it has none, those of the sandbox in the data folder. Throws `invalid_settings`. */
export function cliNetworks(env: Environment = process.env): NetworkEnvironment {
  const isConfigured = chains.some((chain) => env[networkVariable(chain, 'tokens')]);
  const variables = isConfigured || namesDatabase(env) ? env : withSandbox(env);
  const { environment } = loadSomeSettings(['environment'], variables);
  return { environment, networks: loadNetworks(variables), variables };
}

/** Makes the commands that this process runs from now on those of the sandbox of a data folder, whatever database its environment names. */
export function useSandbox(dataDir: string): void {
  Object.assign(process.env, withSandbox({ ...process.env, ...settingsEnvironment({ dataDir }) }));
}

function namesDatabase(env: Environment): boolean {
  return Boolean(env[settingVariable('databaseUrl')]);
}

function withSandbox(env: Environment): Environment {
  const { dataDir } = loadSomeSettings(['dataDir'], env);
  const file = path.join(dataDir, environmentFile);
  return { ...env, ...(existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {}) };
}
