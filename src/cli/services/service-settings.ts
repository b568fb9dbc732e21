import { isValidIBAN } from 'ibantools';
import { createIbanRange } from '../../bank/iban-range.ts';
import { referenceProblem } from '../../chain/signers/create-signer.ts';
import type { Chain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
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
} from '../../platform/settings.ts';

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
 * not have is named at once, with every setting that is invalid (docs/operations/deployment.md, Settings of a deployment). Throws `invalid_settings`.
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
  const needed = new Set<SettingName>([
    'databaseUrl',
    ...(api ? ofApi : []),
    ...(console ? ofConsole : []),
    ...(common ? [...ofCommonWorker, ...ofBank] : []),
  ]);
  const problems: Record<string, string> = {};
  for (const name of needed) if (!env[settingVariable(name)]) problems[settingVariable(name)] = missing(settingMeaning(name));
  if ((api || common) && env[rail] === 'sandbox') problems[rail] = 'simulates a bank, so nobody would be paid: production needs iso20022';
  if (needed.has('baseUrl')) Object.assign(problems, addressProblems(env));
  if (common) Object.assign(problems, bankProblems(env));
  for (const chain of workerChains) Object.assign(problems, networkProblems(chain, ofChainWorker, env));
  for (const chain of indexerChains) Object.assign(problems, networkProblems(chain, ofIndexer, env));
  return problems;
}

/** A path or a query would stand in the middle of links, of the issuer of tokens and of what customers sign. */
function addressProblems(env: Environment): Record<string, string> {
  const variable = settingVariable('baseUrl');
  const url = URL.parse(env[variable] ?? '');
  if (url === null) return {};
  if (url.protocol !== 'https:') return { [variable]: 'must be the public address of the API in production, beginning with https://' };
  const isOrigin = url.pathname === '/' && !/[?#@]/.test(url.href);
  return isOrigin ? {} : { [variable]: 'must be of the form https://HOST, without a user, a path or a query' };
}

/** What the common worker could not make a payment or assign an IBAN by. */
function bankProblems(env: Environment): Record<string, string> {
  const problems: Record<string, string> = {};
  const accounts = settingVariable('bankAccounts');
  const wrong = entriesOf(env[accounts])
    .map((entry) => entry.split(':').at(-1) ?? '')
    .find((account) => /^[A-Z0-9]{1,34}$/.test(account) && !isValidIBAN(account));
  if (wrong !== undefined) problems[accounts] = `${wrong} is not a valid IBAN: compare it with the bank's letter`;
  const { [settingVariable('bankIbanCountry')]: bankIbanCountry, [settingVariable('bankIbanPrefix')]: bankIbanPrefix } = env;
  if (!bankIbanCountry || !bankIbanPrefix) return problems;
  try {
    createIbanRange({ bankIbanCountry, bankIbanPrefix });
  } catch (error) {
    if (!(error instanceof StopError)) throw error;
    Object.assign(problems, error.fields);
  }
  return problems;
}

function networkProblems(chain: Chain, needed: readonly NetworkSettingName[], env: Environment): Record<string, string> {
  const signersVariable = networkVariable(chain, 'signers');
  const signers = needed.includes('signers') ? entriesOf(env[signersVariable]) : [];
  const all = signers.some((reference) => reference.startsWith('keystore:')) ? [...needed, 'keystorePassword' as const] : needed;
  const problems = Object.fromEntries(
    all.flatMap((name) => {
      const variable = networkVariable(chain, name);
      return env[variable] ? [] : [[variable, missing(networkSettingMeaning(name))]];
    }),
  );
  const wrong = signers.map((reference) => referenceProblem(reference, 'production')?.message).find((problem) => problem !== undefined);
  if (wrong !== undefined) problems[signersVariable] = wrong;
  const endpointsVariable = networkVariable(chain, 'rpcUrls');
  const endpoints = entriesOf(env[endpointsVariable]).map((url) => URL.parse(url)?.href ?? url);
  if (new Set(endpoints).size < endpoints.length)
    problems[endpointsVariable] = 'names an endpoint twice, which would agree with itself: name each once';
  return problems;
}

function entriesOf(list = ''): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

/** The first sentence of the meaning is enough to know the setting by. */
function missing(meaning: string): string {
  return `is not set: ${meaning.split(/\. |; /)[0]}`;
}
