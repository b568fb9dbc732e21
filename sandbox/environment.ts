import {
  type Environment,
  loadSettings,
  networkEnvironment,
  networkVariables,
  type SettingName,
  settingsEnvironment,
  settingVariable,
} from '../src/platform/settings.ts';
import { type Chain, swapChain } from '../src/platform/chains.ts';
import { chainsOf, firstBlockOf, type Instance, makerKeys, operatorKeys } from './instance.ts';
import { provideRates } from './rates.ts';
import { provideSecretsKey } from './secrets-key.ts';

/** What the settings of a sandbox depend on; `rpcUrls` has the endpoint of each chain. */
export interface SandboxFacts {
  dataDir: string;
  databaseUrl: string;
  /** The same database through PgBouncer. */
  poolerUrl: string | undefined;
  port: number;
  consolePort: number;
  /** Secret of the link that signs in to the console. */
  consoleLink: string;
  blockTimeSeconds: number;
  /** Blocks on top before an outcome counts. */
  confirmations: number;
  rpcUrls: Record<string, string>;
  /** Of each fork: the node that has the state of its last block of the live network. */
  sourceUrls: Record<string, string>;
}

/** The settings that are the sandbox's own, whatever the shell says. */
const ownSettings = [
  'environment',
  'dataDir',
  'secretsKey',
  'bankRail',
  'databaseUrl',
  'databaseDirectUrl',
  'port',
  'consolePort',
  'consoleLink',
  'swapSettlement',
  'swapSigner',
  'swapRatesFile',
  'swapRatesMaxAgeSeconds',
] as const satisfies SettingName[];

/**
 * Checks what the shell sets for the sandbox's processes, before any is started: each of them would end at once, and be started again. Throws
 * `invalid_settings`.
 */
export function requireValidSettings(env: Environment): void {
  const own = new Set<string>(ownSettings.map(settingVariable));
  const others = Object.fromEntries(Object.entries(withoutNetworks(env)).filter(([name]) => !own.has(name)));
  // A database is required, and the sandbox brings its own.
  loadSettings({ ...others, ...settingsEnvironment({ environment: 'sandbox', databaseUrl: 'postgres://localhost' }) });
}

/** The environment variables of the sandbox's processes, which are added to those of its own environment. */
export function sandboxVariables(instance: Instance, facts: SandboxFacts): Record<string, string> {
  const own: Record<(typeof ownSettings)[number], string> = {
    environment: 'sandbox',
    dataDir: facts.dataDir,
    secretsKey: `file:${provideSecretsKey(facts.dataDir)}`,
    bankRail: 'sandbox',
    databaseUrl: facts.poolerUrl ?? facts.databaseUrl,
    databaseDirectUrl: facts.poolerUrl === undefined ? '' : facts.databaseUrl,
    port: String(facts.port),
    consolePort: String(facts.consolePort),
    consoleLink: facts.consoleLink,
    swapSettlement: instance.networks[swapChain]?.settlement ?? '',
    swapSigner: makerKeys(instance).privateKey,
    swapRatesFile: provideRates(facts.dataDir),
    // The sandbox's rates are invented and do not age.
    swapRatesMaxAgeSeconds: '0',
  };
  const keys = operatorKeys(instance).map(({ privateKey }) => privateKey);
  const networks = chainsOf(instance).map((chain) => {
    const { genesis = '', tokens = {} } = instance.networks[chain] ?? {};
    return networkEnvironment(chain, {
      tokens: Object.entries(tokens)
        .map((entry) => entry.join(':'))
        .join(','),
      rpcUrls: facts.rpcUrls[chain] ?? '',
      signers: keys.join(','),
      genesis: genesis + openings(instance, chain, facts),
      confirmations: String(facts.confirmations),
      blockTimeSeconds: String(facts.blockTimeSeconds),
      startBlock: String(firstBlockOf(instance, chain)),
    });
  });
  return Object.assign(settingsEnvironment(own), ...networks) as Record<string, string>;
}

/** Where balances come from that holders of inherited tokens had before the first block of a fork. */
function openings({ forks }: Instance, chain: Chain, { sourceUrls }: SandboxFacts): string {
  const inherited = Object.keys(forks?.[chain]?.inherited ?? {});
  return inherited.length === 0 ? '' : `,${inherited.join('+')}@${sourceUrls[chain] ?? ''}`;
}

/** Whether changes take a second person, as the sandbox's processes know it: commands from another terminal ask for the same. */
export function fourEyesOf(env: Environment): Record<string, string> {
  const name = settingVariable('fourEyes');
  const value = env[name];
  return value === undefined ? {} : { [name]: value };
}

/** An environment without any network's settings: networks that the shell configures are not the sandbox's. */
export function withoutNetworks(env: Environment): Environment {
  const names = new Set(networkVariables());
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}
