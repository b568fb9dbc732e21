import { type ChainFacts, chainTable } from './chain-table.ts';
import { StopError } from './errors.ts';

/** A network's wire name: an EVM member of the chain enumeration. Noble and its test chain are Cosmos chains, which are known and never configured. */
export type Chain = keyof typeof chainTable;

/** The wire names of all networks that can be configured. */
export const chains = Object.keys(chainTable) as Chain[];

/** EIP-155 ids. */
export const chainIds = Object.fromEntries(chains.map((chain) => [chain, chainTable[chain].id])) as Record<Chain, number>;

/** All names of the enumeration, also those of Cosmos chains. */
export const chainNames: readonly string[] = [...chains, 'noble', 'grand'];

const aliases: Record<string, string> = {
  'arbitrum sepolia': 'arbitrumsepolia',
  'linea sepolia': 'lineasepolia',
  'base sepolia': 'basesepolia',
  'noble grand': 'grand',
};

/** The wire name of a chain that a client names, also by its older name of two words; undefined outside the enumeration. */
export function chainName(input: string): string | undefined {
  const name = aliases[input] ?? input;
  return chainNames.includes(name) ? name : undefined;
}

/** The spellings by which a client may name a chain: its wire name first. */
export function spellingsOf(chain: string): string[] {
  return [chain, ...Object.keys(aliases).filter((alias) => aliases[alias] === chain)];
}

/** Narrows a stored or configured name. Throws `not_found`. */
export function asChain(name: string): Chain {
  if (Object.hasOwn(chainTable, name)) return name as Chain;
  throw new StopError({
    code: 'not_found',
    message: `"${name}" is not an EVM chain of the enumeration: use one of ${chains.join(', ')}`,
  });
}

/** The chains of settings that have networks by chain. */
export function chainsOf(networks: Partial<Record<Chain, unknown>>): Chain[] {
  return Object.keys(networks) as Chain[];
}

/** The only network with swaps (docs/api.md, Swap). */
export const swapChain = 'arbitrumsepolia' as const satisfies Chain;

/** The facts of a network. */
export function chainFacts(chain: Chain): ChainFacts {
  return chainTable[chain];
}

/** Most gas of a transaction on any chain (EIP-7825). */
const transactionGasCap = 16_777_216n;

/** Most gas that a transaction should use: a transaction of more than half a block waits behind smaller ones. */
export function largestTransactionGas(chain: Chain): bigint {
  const half = chainTable[chain].blockGas / 2n;
  return half < transactionGasCap ? half : transactionGasCap;
}

/** The address of the explorer of a network, without a slash at its end. */
export function explorerUrl(chain: Chain): string {
  return chainTable[chain].explorer;
}

/** The explorer's page of a transaction. */
export function transactionUrl(chain: Chain, hash: string): string {
  return `${explorerUrl(chain)}/tx/${hash}`;
}

/** The explorer's page of an account or a contract. */
export function addressUrl(chain: Chain, address: string): string {
  return `${explorerUrl(chain)}/address/${address}`;
}
