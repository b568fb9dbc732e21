import { type Address, createTestClient, type Hex, http, type LocalAccount, publicActions, walletActions } from 'viem';
import { StopError } from '../../platform/errors.ts';
import { create2, create2Factory, create2FactoryCode } from './create2.ts';
import { defineLocalChain, type LocalChain } from './local-chain.ts';

/** More gas than any of these contracts needs. */
const deploymentGas = 8_000_000n;

/** A local chain and the account that deploys contracts on it. */
export interface LocalDeployment extends LocalChain {
  /** Pays. Nothing else may use its nonces meanwhile. */
  payer: LocalAccount;
}

/**
 * Deploys contracts on an Anvil, each at the address that follows from its creation code (CREATE2). Skips what is deployed already, so an
 * interrupted deployment can be run again. Returns the addresses. Throws `transaction_reverted`.
 */
export async function deployLocally({ payer, ...local }: LocalDeployment, creationCodes: readonly Hex[]): Promise<Address[]> {
  const chain = defineLocalChain(local);
  const client = createTestClient({ chain, mode: 'anvil', transport: http(local.url), account: payer, pollingInterval: 100 })
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
    hashes.push(await client.sendTransaction({ to, data, gas: deploymentGas, nonce }));
    nonce += 1;
  }
  for (const hash of hashes) {
    const { status } = await client.waitForTransactionReceipt({ hash, timeout: 60_000 });
    if (status !== 'success') throw new StopError({ code: 'transaction_reverted', message: `The deployment ${hash} reverted` });
  }
  return addresses;
}
