import { type ChainFacts, chainTable } from './chain-table.ts';
import { StopError } from './errors.ts';

/** A network's wire name: the EVM members of the chain enumeration. Noble and its test chain are Cosmos chains: named, never configured. */
export type Chain = keyof typeof chainTable;

export const chains = Object.keys(chainTable) as Chain[];

/** EIP-155 ids. */
export const chainIds = Object.fromEntries(chains.map((chain) => [chain, chainTable[chain].id])) as Record<Chain, number>;

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
  if (Object.hasOwn(chainTable, name)) return name as Chain;
  throw new StopError({
    code: 'unknown_chain',
    message: `"${name}" is not an EVM chain of the enumeration: use one of ${chains.join(', ')}`,
  });
}

/** The chains of settings that have networks by chain. */
export function chainsOf(networks: Partial<Record<Chain, unknown>>): Chain[] {
  return Object.keys(networks) as Chain[];
}

/** The only network with swaps (docs/api.md, Swap). */
export const swapChain = 'arbitrumsepolia' as const satisfies Chain;

/** What is known of a network. */
export function chainFacts(chain: Chain): ChainFacts {
  return chainTable[chain];
}

/** Gas of a transaction anywhere (EIP-7825). */
const transactionGasCap = 16_777_216n;

/** Most gas that one transaction should use: one of more than half a block waits for an emptier block behind all smaller ones. */
export function largestTransactionGas(chain: Chain): bigint {
  const half = chainTable[chain].blockGas / 2n;
  return half < transactionGasCap ? half : transactionGasCap;
}

/** Where people look a transaction up. */
export function transactionUrl(chain: Chain, hash: string): string {
  return `${chainTable[chain].explorer}/tx/${hash}`;
}

/** Where people look an account or a contract up. */
export function addressUrl(chain: Chain, address: string): string {
  return `${chainTable[chain].explorer}/address/${address}`;
}
