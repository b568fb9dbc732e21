import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Address, Hex } from 'viem';
import { hasCode } from '../contract.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import { create2 } from './create2.ts';
import { deployLocally, type LocalDeployment } from './deploy-locally.ts';

/** The version of Safe whose contracts these are. */
export const safeVersion = '1.4.1';

/** The contracts of Safe 1.4.1 that wallets use, by their paths in its package. */
const paths = {
  singleton: 'SafeL2.sol/SafeL2',
  ethereumSingleton: 'Safe.sol/Safe',
  proxyFactory: 'proxies/SafeProxyFactory.sol/SafeProxyFactory',
  fallbackHandler: 'handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler',
  multiSend: 'libraries/MultiSend.sol/MultiSend',
  multiSendCallOnly: 'libraries/MultiSendCallOnly.sol/MultiSendCallOnly',
  signMessageLib: 'libraries/SignMessageLib.sol/SignMessageLib',
  createCall: 'libraries/CreateCall.sol/CreateCall',
  simulateTxAccessor: 'accessors/SimulateTxAccessor.sol/SimulateTxAccessor',
} as const;

/** What a contract of Safe is for. */
export type SafeContract = keyof typeof paths;

/** Those without which no Safe can be made. */
const needed = ['proxyFactory', 'singleton', 'fallbackHandler'] as const satisfies readonly SafeContract[];

/** Deploys Safe's contracts on an Anvil at their canonical addresses, where Safe wallets expect them. Skips what is deployed already. Throws `transaction_reverted`. */
export async function deploySafeContracts(deployment: LocalDeployment): Promise<void> {
  await deployLocally(deployment, Object.values(paths).map(creationCode));
}

/** The canonical addresses of Safe's contracts, the same on every chain: they follow from the code (CREATE2). */
export function safeContractAddresses(): Record<SafeContract, Address> {
  const entries = Object.entries(paths).map(([name, file]) => [name, create2(creationCode(file)).address]);
  return Object.fromEntries(entries) as Record<SafeContract, Address>;
}

/** The address of a contract that is missing on a chain and without which no Safe can be made there; undefined when there is none. Throws when the node does not answer. */
export async function findMissingSafeContract(rpc: Rpc): Promise<Address | undefined> {
  const addresses = safeContractAddresses();
  for (const name of needed) if (!(await hasCode(rpc, addresses[name]))) return addresses[name];
  return undefined;
}

function creationCode(name: string): Hex {
  const root = path.dirname(createRequire(import.meta.url).resolve('@safe-global/safe-contracts/package.json'));
  const artifact = JSON.parse(readFileSync(path.join(root, 'build/artifacts/contracts', `${name}.json`), 'utf8')) as { bytecode: Hex };
  return artifact.bytecode;
}
