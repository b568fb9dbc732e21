import { StopError } from './errors.ts';

/** Wire names and ids of the EVM members of the chain enumeration. Noble and its test chain are Cosmos chains: named, never configured. */
export const chainIds = {
  ethereum: 1,
  gnosis: 100,
  polygon: 137,
  arbitrum: 42161,
  linea: 59144,
  scroll: 534352,
  base: 8453,
  sepolia: 11155111,
  chiado: 10200,
  amoy: 80002,
  arbitrumsepolia: 421614,
  lineasepolia: 59141,
  scrollsepolia: 534351,
  basesepolia: 84532,
} as const;

/** A network's wire name. */
export type Chain = keyof typeof chainIds;

export const chains = Object.keys(chainIds) as Chain[];

/** Every name the enumeration knows, the Cosmos ones too. */
export const chainNames: readonly string[] = [...chains, 'noble', 'grand'];

const aliases: Record<string, string> = {
  'arbitrum sepolia': 'arbitrumsepolia',
  'linea sepolia': 'lineasepolia',
  'base sepolia': 'basesepolia',
  'noble grand': 'grand',
};

/** The one-word wire name of a chain as clients write it; `undefined` for a name outside the enumeration. */
export function chainName(input: string): string | undefined {
  const name = aliases[input] ?? input;
  return chainNames.includes(name) ? name : undefined;
}

/** Narrows a stored or configured name. Throws `unknown_chain`. */
export function asChain(name: string): Chain {
  if (name in chainIds) return name as Chain;
  throw new StopError({
    code: 'unknown_chain',
    message: `"${name}" is not an EVM chain of the enumeration: use one of ${chains.join(', ')}`,
  });
}
