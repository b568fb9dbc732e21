import { type Chain, chains } from '../../src/platform/chains.ts';
import type { SandboxFile } from '../../src/cli/running-sandbox.ts';

/** The networks on which the demo shows what it shows. */
export interface DemoChains {
  /** The customer's own. A fork, where there is one. */
  home: Chain;
  /** Another one; undefined in a sandbox with one chain. */
  other: Chain | undefined;
  /** That of the Safe. Safe's protocol-kit does not support chiado. */
  safe: Chain;
}

/** Chooses the networks of the demo among those of a sandbox: its fork where it has one, otherwise chiado, or its first. */
export function chooseDemoChains({ chains: known }: Pick<SandboxFile, 'chains'>): DemoChains {
  const names = chains.filter((chain) => known[chain]);
  const fork = names.find((chain) => known[chain]?.fork);
  const home: Chain = fork ?? names.find((chain) => chain === 'chiado') ?? names[0] ?? 'chiado';
  const other = names.find((chain) => chain !== home && chain === 'sepolia') ?? names.find((chain) => chain !== home);
  return { home, other, safe: fork ?? names.find((chain) => chain !== 'chiado') ?? home };
}
