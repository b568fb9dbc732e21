import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { chainsOf as namesOf, type Chain } from '../../src/platform/chains.ts';
import type { Running } from '../../src/platform/loop.ts';
import { rememberedPort } from '../../src/platform/process/free-port.ts';
import { fundedAccounts, type Instance } from '../instance.ts';
import { startForkSource } from './fork-source.ts';
import { createUpstream, type Upstream } from './upstream.ts';

/** The sources of all forks of a sandbox. */
export interface ForkSources extends Running {
  /** The node from which each fork reads the live network's state. */
  urls: Partial<Record<Chain, string>>;
  upstreams: Partial<Record<Chain, Upstream>>;
}

/** Starts the source of each fork, which asks its upstream only when its chain does. What it has read is kept in the chain's folder. */
export async function startForkSources(dataDir: string, instance: Instance): Promise<ForkSources> {
  const forks = instance.forks ?? {};
  const urls: ForkSources['urls'] = {};
  const upstreams: ForkSources['upstreams'] = {};
  const sources: Running[] = [];
  for (const chain of namesOf(forks)) {
    const fork = forks[chain];
    if (!fork) continue;
    const folder = path.join(dataDir, 'chains', chain);
    mkdirSync(folder, { recursive: true });
    const upstream = createUpstream({ chain, url: fork.url, block: fork.block });
    const file = path.join(folder, 'upstream.jsonl');
    const port = await rememberedPort(path.join(folder, 'source-port'));
    const source = await startForkSource({ upstream, block: fork.block, file, port, newAccounts: fundedAccounts(instance) });
    urls[chain] = source.url;
    upstreams[chain] = upstream;
    sources.push(source);
  }
  return { urls, upstreams, close: async () => void (await Promise.all(sources.map((source) => source.close()))) };
}
