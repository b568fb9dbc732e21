import type { Chain } from './chains.ts';
import {
  type Environment,
  isSandbox,
  loadSettings,
  type NetworkSettingName,
  networkSettingMeaning,
  networkVariable,
  type SettingName,
  settingMeaning,
  type Settings,
  settingVariable,
} from './settings.ts';

/** What a process does, by which it needs settings. */
export interface ProcessScope {
  /** Whether it serves the API. */
  api?: boolean;
  /** Whether it serves the console. */
  console?: boolean;
  /** Whether it does the work that belongs to no network. */
  common?: boolean;
  /** Networks whose lanes and settler it runs. */
  workerChains?: readonly Chain[];
  /** Networks that it indexes. */
  indexerChains?: readonly Chain[];
}

/** What the API cannot do without in production, where nothing has a made-up default. */
const ofApi: readonly SettingName[] = ['baseUrl', 'secretsKey'];

/** What the console cannot do without: it seals the seeds of its operators. */
const ofConsole: readonly SettingName[] = ['secretsKey'];

/** What the common worker cannot do without: mails have links, and it seals and unseals. */
const ofCommonWorker: readonly SettingName[] = ['baseUrl', 'secretsKey'];

/** What the common worker assigns IBANs and pays by. What burns must be able to pay, so it does not run without an outbox. */
const ofBank: readonly SettingName[] = ['bankAccounts', 'bankAccountName', 'bankBic', 'bankIbanCountry', 'bankIbanPrefix', 'bankOutbox'];

/** What a network's indexer cannot do without. */
const ofIndexer: readonly NetworkSettingName[] = ['tokens', 'rpcUrls'];

/** What a network's worker cannot do without. */
const ofChainWorker: readonly NetworkSettingName[] = [...ofIndexer, 'signers'];

/**
 * The settings of a process of a deployment. In production nothing that concerns money, addresses or secrets is made up: what the process needs and does
 * not have is named at once, with every setting that is invalid (docs/operations.md, Settings of a deployment). Throws `invalid_settings`.
 */
export function loadServiceSettings(scope: ProcessScope, env: Environment = process.env): Settings {
  return loadSettings(env, isSandbox(env) ? {} : productionProblems(scope, env));
}

/** What is wrong with the variables of a process in production, by variable. */
function productionProblems(
  { api, console, common, workerChains = [], indexerChains = [] }: ProcessScope,
  env: Environment,
): Record<string, string> {
  const rail = settingVariable('bankRail');
  const address = settingVariable('baseUrl');
  const needed = new Set<SettingName>([
    'databaseUrl',
    ...(api ? ofApi : []),
    ...(console ? ofConsole : []),
    ...(common ? [...ofCommonWorker, ...ofBank] : []),
  ]);
  const problems: Record<string, string> = {};
  for (const name of needed) if (!env[settingVariable(name)]) problems[settingVariable(name)] = missing(settingMeaning(name));
  if ((api || common) && env[rail] === 'sandbox') problems[rail] = 'simulates a bank, so nobody would be paid: production needs iso20022';
  if (needed.has('baseUrl') && env[address] && !env[address].startsWith('https://'))
    problems[address] = 'must be the public address of the API in production, beginning with https://';
  for (const chain of workerChains) Object.assign(problems, networkProblems(chain, ofChainWorker, env));
  for (const chain of indexerChains) Object.assign(problems, networkProblems(chain, ofIndexer, env));
  return problems;
}

function networkProblems(chain: Chain, needed: readonly NetworkSettingName[], env: Environment): Record<string, string> {
  const hasKeystore = env[networkVariable(chain, 'signers')]?.includes('keystore:') === true;
  const all = needed.includes('signers') && hasKeystore ? [...needed, 'keystorePassword' as const] : needed;
  return Object.fromEntries(
    all.flatMap((name) => {
      const variable = networkVariable(chain, name);
      return env[variable] ? [] : [[variable, missing(networkSettingMeaning(name))]];
    }),
  );
}

/** The first sentence of the meaning is enough to know the setting by. */
function missing(meaning: string): string {
  return `is not set: ${meaning.split(/\. |; /)[0]}`;
}
