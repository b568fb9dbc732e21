import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Address, Hex } from 'viem';
import { english, generateMnemonic, mnemonicToAccount } from 'viem/accounts';
import { bytesToHex } from 'viem';
import { type Chain, chainIds } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';

/** The networks of the sandbox. */
export const sandboxChains = ['chiado', 'sepolia', 'arbitrumsepolia'] as const satisfies Chain[];
export type SandboxChain = (typeof sandboxChains)[number];

export interface SandboxNetwork {
  /** Hash of block 0: it names this instance of the chain. */
  genesis: Hex;
  tokens: Partial<Record<Currency, Address>>;
  /** The contract on which swaps are carried out, where there are some. */
  settlement?: Address;
}

/** What a sandbox remembers of itself between two starts. */
export interface Instance {
  /** All keys of this sandbox come from it. They are worth nothing outside. */
  mnemonic: string;
  networks: Partial<Record<SandboxChain, SandboxNetwork>>;
  /** Credentials of the demo application, and of a demo partner; present once the ledger has been filled. */
  application?: { clientId: string; clientSecret: string };
  partner?: { clientId: string; clientSecret: string };
  /** Of the maker of swaps; absent in a sandbox that is older than swaps, until its next start. */
  maker?: { clientId: string; clientSecret: string };
}

/** Which of the mnemonic's accounts does what. Anvil funds all of them. */
const indexes = { admin: 0, operators: [1, 2], maker: 3, accounts: [10, 11, 12, 13, 14, 15, 16, 17, 18, 19] };

/** The instance of a data folder; a new one where there is none. */
export function loadInstance(dataDir: string): Instance {
  const file = instanceFile(dataDir);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Instance;
  const instance: Instance = { mnemonic: generateMnemonic(english), networks: {} };
  saveInstance(dataDir, instance);
  return instance;
}

export function saveInstance(dataDir: string, instance: Instance): void {
  writePrivate(instanceFile(dataDir), instance);
}

/** Writes JSON that only this user may read; whoever reads it sees the old file or the new one, never half of it. */
export function writePrivate(file: string, value: unknown): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Deploys and administers the tokens. */
export function adminAccount({ mnemonic }: Instance) {
  return mnemonicToAccount(mnemonic, { addressIndex: indexes.admin });
}

/** The keys that issue and redeem, one lane each. */
export function operatorKeys(instance: Instance): { address: Address; privateKey: Hex }[] {
  return indexes.operators.map((index) => keyPair(instance, index));
}

/** Signs the quotes of swaps and pays for them from its own tokens. */
export function makerKeys(instance: Instance): { address: Address; privateKey: Hex } {
  return keyPair(instance, indexes.maker);
}

/** Funded accounts to play with. */
export function freeAccounts(instance: Instance): { address: Address; privateKey: Hex }[] {
  return indexes.accounts.map((index) => keyPair(instance, index));
}

export function chainIdOf(chain: SandboxChain): number {
  return chainIds[chain];
}

function keyPair({ mnemonic }: Instance, addressIndex: number): { address: Address; privateKey: Hex } {
  const account = mnemonicToAccount(mnemonic, { addressIndex });
  const { privateKey } = account.getHdKey();
  if (!privateKey) throw new Error('a mnemonic always has private keys');
  return { address: account.address, privateKey: bytesToHex(privateKey) };
}

function instanceFile(dataDir: string): string {
  return path.join(dataDir, 'instance.json');
}
