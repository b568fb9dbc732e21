import { pbkdf2Sync } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Address, Hex } from 'viem';
import { english, generateMnemonic, HDKey, hdKeyToAccount } from 'viem/accounts';
import { bytesToHex } from 'viem';
import { type Chain, chains } from '../src/platform/chains.ts';
import { fundedAccountCount } from './chains/anvil.ts';
import type { Currency } from '../src/platform/money.ts';

/** The chains of a sandbox that begin empty, unless it is told otherwise. */
export const freshChains = ['chiado', 'sepolia', 'arbitrumsepolia'] as const satisfies Chain[];

/** A live network's state up to a block, on which a local chain goes on. */
export interface Fork {
  /** Endpoint of the live network. Its path, query and user name may be secrets. */
  url: string;
  /** The last block of the live network. */
  block: number;
  /** Hash of that block. */
  hash: Hex;
  /** Tokens that the live network has and the sandbox issues. It deploys those of the other currencies. */
  inherited: Partial<Record<Currency, Address>>;
}

/** What is deployed on a local chain. */
export interface SandboxNetwork {
  /** Hash of the first block that was made here, which identifies this instance of the chain. */
  genesis: Hex;
  tokens: Partial<Record<Currency, Address>>;
  /** Settlement contract, on the network with swaps. */
  settlement?: Address;
}

/** What a sandbox stores about itself between two starts. */
export interface Instance {
  /** Source of all keys of this sandbox. They are worthless elsewhere. */
  mnemonic: string;
  networks: Partial<Record<Chain, SandboxNetwork>>;
  /** The chains that are forks of live networks. */
  forks?: Partial<Record<Chain, Fork>>;
  /** The chains that begin empty; absent before the first start. */
  fresh?: readonly Chain[];
  /** Credentials of the demo application and of the demo partner; absent before the ledger is filled. */
  application?: { clientId: string; clientSecret: string };
  partner?: { clientId: string; clientSecret: string };
  /** Credentials of the maker of swaps; absent in a sandbox from before swaps, until its next start. */
  maker?: { clientId: string; clientSecret: string };
}

/** Uses of the mnemonic's accounts, by index. Anvil funds all of them. */
const indexes = { admin: 0, operators: [1, 2], maker: 3, accounts: [10, 11, 12, 13, 14, 15, 16, 17, 18, 19] };

/** Reads the instance of a data folder, and creates one where there is none. */
export function loadInstance(dataDir: string): Instance {
  if (existsSync(instanceFile(dataDir))) return readInstance(dataDir);
  const instance: Instance = { mnemonic: generateMnemonic(english), networks: {} };
  saveInstance(dataDir, instance);
  return instance;
}

/** Reads the instance of a data folder that has one. */
export function readInstance(dataDir: string): Instance {
  return JSON.parse(readFileSync(instanceFile(dataDir), 'utf8')) as Instance;
}

/** The chains of a sandbox: its forks, then those that begin empty and are not forked. */
export function chainsOf({ forks = {}, fresh = freshChains }: Pick<Instance, 'forks' | 'fresh'>): Chain[] {
  const forked = chains.filter((chain) => forks[chain]);
  return [...forked, ...fresh.filter((chain) => !forks[chain])];
}

/** Number of the first block that was made here: that behind a fork's last block of the live network, or block 0. */
export function firstBlockOf({ forks }: Pick<Instance, 'forks'>, chain: Chain): number {
  const fork = forks?.[chain];
  return fork ? fork.block + 1 : 0;
}

/** Writes the instance to its data folder. */
export function saveInstance(dataDir: string, instance: Instance): void {
  writePrivate(instanceFile(dataDir), instance);
}

/** Writes a JSON file that only this user may read, atomically. */
export function writePrivate(file: string, value: unknown): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** The account that deploys and administers the tokens. */
export function adminAccount(instance: Instance) {
  return accountOf(instance, indexes.admin);
}

/** Writes the key of that account to a file that only this user may read, for `mintrail token … --signer file:PATH`. */
export function writeAdminKey(dataDir: string, instance: Instance): void {
  writeFileSync(path.join(dataDir, 'admin.key'), `${keyPair(instance, indexes.admin).privateKey}\n`, { mode: 0o600 });
}

/** The signers' keys, one for each lane. */
export function operatorKeys(instance: Instance): { address: Address; privateKey: Hex }[] {
  return indexes.operators.map((index) => keyPair(instance, index));
}

/** The key of the maker, who signs quotes of swaps and pays from its own tokens. */
export function makerKeys(instance: Instance): { address: Address; privateKey: Hex } {
  return keyPair(instance, indexes.maker);
}

/** Funded accounts for the user. */
export function freeAccounts(instance: Instance): { address: Address; privateKey: Hex }[] {
  return indexes.accounts.map((index) => keyPair(instance, index));
}

/** Every account of the mnemonic that Anvil funds. Nobody else knows them, so no live network does. */
export function fundedAccounts(instance: Instance): Address[] {
  return Array.from({ length: fundedAccountCount }, (_, addressIndex) => accountOf(instance, addressIndex).address);
}

/** As viem's `mnemonicToAccount`, which makes the seed in JavaScript: four times as slow, and a start asks for some thirty. */
function accountOf({ mnemonic }: Instance, addressIndex: number) {
  const seed = pbkdf2Sync(mnemonic.normalize('NFKD'), 'mnemonic', 2_048, 64, 'sha512');
  return hdKeyToAccount(HDKey.fromMasterSeed(seed), { addressIndex });
}

function keyPair(instance: Instance, addressIndex: number): { address: Address; privateKey: Hex } {
  const account = accountOf(instance, addressIndex);
  const { privateKey } = account.getHdKey();
  if (!privateKey) throw new Error('a mnemonic always has private keys');
  return { address: account.address, privateKey: bytesToHex(privateKey) };
}

/** The file in which a data folder keeps its instance. */
export function instanceFile(dataDir: string): string {
  return path.join(dataDir, 'instance.json');
}
