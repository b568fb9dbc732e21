import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import {
  type Address,
  concat,
  createTestClient,
  defineChain,
  getContractAddress,
  type Hex,
  http,
  type LocalAccount,
  publicActions,
  walletActions,
  zeroHash,
} from 'viem';
import { StopError } from '../platform/errors.ts';

/** The contracts of Safe 1.4.1 that wallets use, with their places in its package. */
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

/** The factory through which every canonical Safe contract was deployed: with it, they get their canonical addresses here too. */
const factory: Address = '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7';
const factoryCode: Hex =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';

const deployGas = 8_000_000n;

/** Deploys the Safe contracts on an Anvil at their canonical addresses, so that Safe wallets work there as anywhere. What is there already stays. */
export async function deploySafe({ url, chainId, payer }: { url: string; chainId: number; payer: LocalAccount }): Promise<void> {
  const chain = defineChain({
    id: chainId,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const client = createTestClient({ chain, mode: 'anvil', transport: http(url), account: payer, pollingInterval: 100 })
    .extend(publicActions)
    .extend(walletActions);
  await client.setCode({ address: factory, bytecode: factoryCode });
  let nonce = await client.getTransactionCount({ address: payer.address, blockTag: 'pending' });
  const hashes: Hex[] = [];
  for (const name of contracts) {
    const bytecode = creationCode(name);
    const address = getContractAddress({ opcode: 'CREATE2', from: factory, salt: zeroHash, bytecode });
    if (await client.getCode({ address })) continue;
    hashes.push(await client.sendTransaction({ to: factory, data: concat([zeroHash, bytecode]), gas: deployGas, nonce }));
    nonce += 1;
  }
  for (const hash of hashes) {
    const { status } = await client.waitForTransactionReceipt({ hash, timeout: 60_000 });
    if (status !== 'success') throw new StopError({ code: 'deployment_failed', message: `The deployment ${hash} was reverted` });
  }
}

function creationCode(name: string): Hex {
  const root = path.dirname(createRequire(import.meta.url).resolve('@safe-global/safe-contracts/package.json'));
  const artifact = JSON.parse(readFileSync(path.join(root, 'build/artifacts/contracts', `${name}.json`), 'utf8')) as { bytecode: Hex };
  return artifact.bytecode;
}
