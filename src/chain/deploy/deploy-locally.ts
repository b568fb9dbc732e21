import { type Address, createTestClient, defineChain, type Hex, http, type LocalAccount, publicActions, walletActions } from 'viem';
import { StopError } from '../../platform/errors.ts';
import { create2, create2Factory, create2FactoryCode } from './create2.ts';

const deployGas = 8_000_000n;

export interface LocalDeployment {
  url: string;
  chainId: number;
  /** Its nonces belong to this deployment while it runs. */
  payer: LocalAccount;
}

/**
 * Deploys contracts on an Anvil, each at the address that its creation code alone decides (CREATE2). What is there already stays, so a
 * deployment that was interrupted goes on where it was. Returns the addresses. Throws `deployment_failed`.
 */
export async function deployFixed({ url, chainId, payer }: LocalDeployment, creationCodes: readonly Hex[]): Promise<Address[]> {
  const chain = defineChain({
    id: chainId,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const client = createTestClient({ chain, mode: 'anvil', transport: http(url), account: payer, pollingInterval: 100 })
    .extend(publicActions)
    .extend(walletActions);
  await client.setCode({ address: create2Factory, bytecode: create2FactoryCode });
  let nonce = await client.getTransactionCount({ address: payer.address, blockTag: 'pending' });
  const addresses: Address[] = [];
  const hashes: Hex[] = [];
  for (const bytecode of creationCodes) {
    const { address, to, data } = create2(bytecode);
    addresses.push(address);
    if (await client.getCode({ address })) continue;
    hashes.push(await client.sendTransaction({ to, data, gas: deployGas, nonce }));
    nonce += 1;
  }
  for (const hash of hashes) {
    const { status } = await client.waitForTransactionReceipt({ hash, timeout: 60_000 });
    if (status !== 'success') throw new StopError({ code: 'deployment_failed', message: `The deployment ${hash} was reverted` });
  }
  return addresses;
}
