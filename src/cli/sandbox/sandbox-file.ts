import path from 'node:path';
import { swapChain } from '../../platform/chains.ts';
import { chainIdOf, freeAccounts, type Instance, makerKeys, sandboxChains, writePrivate } from './instance.ts';

/** What `sandbox.json` has besides the instance; `profile` is the id of the default profile. */
export interface Published {
  apiUrl: string;
  profile: string;
  rpcUrls: Record<string, string>;
}

/** Writes `<data dir>/sandbox.json`, which describes the sandbox for its clients. */
export function writeSandboxFile(dataDir: string, instance: Instance, { apiUrl, profile, rpcUrls }: Published): void {
  const networks = sandboxChains.map((chain) => [
    chain,
    { chainId: chainIdOf(chain), rpcUrl: rpcUrls[chain], tokens: instance.networks[chain]?.tokens ?? {} },
  ]);
  writePrivate(path.join(dataDir, 'sandbox.json'), {
    apiUrl,
    profile,
    applications: { private: instance.application, whitelabel: instance.partner },
    chains: Object.fromEntries(networks) as Record<string, unknown>,
    swap: { chain: swapChain, settlement: instance.networks[swapChain]?.settlement, maker: makerKeys(instance).address },
    accounts: freeAccounts(instance),
  });
}
