import { chains } from '../../platform/chains.ts';
import { networkSettingsSchema } from '../../platform/settings.ts';
import { type Instance, makerKeys, operatorKeys, sandboxChains, swapChain } from './instance.ts';
import { provideRates } from './rates.ts';

export interface SandboxFacts {
  dataDir: string;
  databaseUrl: string;
  port: number;
  blockTime: number;
  /** Blocks on top before an outcome counts. */
  confirmations: number;
  rpcUrls: Record<string, string>;
}

/** The variables under which the sandbox's processes run, beside those of its own environment. */
export function sandboxVariables(instance: Instance, facts: SandboxFacts): Record<string, string> {
  const variables: Record<string, string> = {
    MINTRAIL_ENVIRONMENT: 'sandbox',
    MINTRAIL_DATA_DIR: facts.dataDir,
    BANK_RAIL: 'sandbox',
    DATABASE_URL: facts.databaseUrl,
    PORT: String(facts.port),
    SWAP_SETTLEMENT: instance.networks[swapChain]?.settlement ?? '',
    SWAP_SIGNER: makerKeys(instance).privateKey,
    SWAP_RATES_FILE: provideRates(facts.dataDir),
    // They are made up, and do not age.
    SWAP_RATES_SECONDS: '0',
  };
  const keys = operatorKeys(instance)
    .map(({ privateKey }) => privateKey)
    .join(',');
  for (const chain of sandboxChains) {
    const { genesis = '', tokens = {} } = instance.networks[chain] ?? {};
    const network = {
      TOKENS: Object.entries(tokens)
        .map(([currency, address]) => `${currency}:${address}`)
        .join(','),
      RPC_URLS: facts.rpcUrls[chain] ?? '',
      SIGNERS: keys,
      GENESIS: genesis,
      CONFIRMATIONS: String(facts.confirmations),
      BLOCK_TIME: String(facts.blockTime),
      START_BLOCK: '0',
    };
    for (const [name, value] of Object.entries(network)) variables[`${chain.toUpperCase()}_${name}`] = value;
  }
  return variables;
}

/** An environment without any network's settings: real networks that are configured in the shell are none of the sandbox's. */
export function withoutNetworks(env: Record<string, string | undefined>): Record<string, string | undefined> {
  const names = new Set(
    chains.flatMap((chain) => Object.keys(networkSettingsSchema.shape).map((name) => `${chain.toUpperCase()}_${name}`)),
  );
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}
