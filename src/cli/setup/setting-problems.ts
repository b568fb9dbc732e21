import type { Chain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { networkVariable, settingVariable } from '../../platform/settings.ts';
import { loadServiceSettings } from '../services/service-settings.ts';

/** What is wrong by variable, as the processes would say it at their start. */
export function settingProblems(env: Readonly<Record<string, string>>, chains: readonly Chain[]): Record<string, string> {
  const variable = settingVariable('environment');
  if (env[variable] !== 'production') return { [variable]: `is ${env[variable]}: write the settings of production into another file` };
  // A network without a token is read as well: a list without an entry.
  const open = Object.fromEntries(chains.map((chain) => networkVariable(chain, 'tokens')).map((name) => [name, env[name] || ',']));
  try {
    loadServiceSettings({ api: true, console: true, common: true, workerChains: chains }, { ...env, ...open });
    return {};
  } catch (error) {
    if (error instanceof StopError && error.fields !== undefined) return { ...error.fields };
    throw error;
  }
}
