import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Hex } from 'viem';
import { deployLocally, type LocalDeployment } from './deploy-locally.ts';

/** The contracts of Safe 1.4.1 that wallets use, by their paths in its package. */
const contracts = [
  'SafeL2.sol/SafeL2',
  'Safe.sol/Safe',
  'proxies/SafeProxyFactory.sol/SafeProxyFactory',
  'handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler',
  'libraries/MultiSend.sol/MultiSend',
  'libraries/MultiSendCallOnly.sol/MultiSendCallOnly',
  'libraries/SignMessageLib.sol/SignMessageLib',
  'libraries/CreateCall.sol/CreateCall',
  'accessors/SimulateTxAccessor.sol/SimulateTxAccessor',
];

/** Deploys Safe's contracts on an Anvil at their canonical addresses, where Safe wallets expect them. Skips what is deployed already. Throws `deployment_failed`. */
export async function deploySafeContracts(deployment: LocalDeployment): Promise<void> {
  await deployLocally(deployment, contracts.map(creationCode));
}

function creationCode(name: string): Hex {
  const root = path.dirname(createRequire(import.meta.url).resolve('@safe-global/safe-contracts/package.json'));
  const artifact = JSON.parse(readFileSync(path.join(root, 'build/artifacts/contracts', `${name}.json`), 'utf8')) as { bytecode: Hex };
  return artifact.bytecode;
}
