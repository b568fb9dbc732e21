import path from 'node:path';
import { chainIds, swapChain } from '../src/platform/chains.ts';
import { loadSomeSettings } from '../src/platform/settings.ts';
import { readerPorts } from '../src/workers/indexer/run-indexers.ts';
import { chainsOf, freeAccounts, type Instance, makerKeys, writePrivate } from './instance.ts';

/** What `sandbox.json` has besides the instance; `profile` is the id of the default profile. */
export interface Published {
  apiUrl: string;
  /** Address of the console, and the link that signs in to it while this sandbox runs. */
  console: { url: string; link: string };
  profile: string;
  rpcUrls: Record<string, string>;
}

/** Writes `<data dir>/sandbox.json`, which describes the sandbox for its clients. */
export function writeSandboxFile(dataDir: string, instance: Instance, { apiUrl, console, profile, rpcUrls }: Published): void {
  const ports = readerPorts(loadSomeSettings(['indexerPort']).indexerPort, chainsOf(instance));
  const networks = chainsOf(instance).map((chain) => {
    const { block, inherited } = instance.forks?.[chain] ?? {};
    const fork = block === undefined ? {} : { fork: { block, inherited } };
    const port = ports.get(chain);
    const readers = port === undefined ? {} : { indexerUrl: `http://127.0.0.1:${port}` };
    const tokens = instance.networks[chain]?.tokens ?? {};
    return [chain, { chainId: chainIds[chain], rpcUrl: rpcUrls[chain], ...readers, tokens, ...fork }];
  });
  const { settlement } = instance.networks[swapChain] ?? {};
  writePrivate(path.join(dataDir, 'sandbox.json'), {
    apiUrl,
    console,
    profile,
    applications: { private: instance.application, whitelabel: instance.partner },
    chains: Object.fromEntries(networks) as Record<string, unknown>,
    ...(settlement ? { swap: { chain: swapChain, settlement, maker: makerKeys(instance).address } } : {}),
    accounts: freeAccounts(instance),
  });
}
