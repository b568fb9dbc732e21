import { randomUUID } from 'node:crypto';
import Safe from '@safe-global/protocol-kit';
import { type Address, getAddress, type Hex } from 'viem';
import type { Rpc } from '../endpoints/rpc.ts';
import type { Deployment } from './create2.ts';
import { safeContractAddresses, safeVersion } from './safe-contracts.ts';

/** A Safe that is to be created. */
export interface SafeSetup {
  /** EIP-155. */
  chainId: number;
  owners: readonly Address[];
  /** How many of the owners must sign. */
  threshold: number;
  /** Tells Safes of the same owners and threshold apart. */
  saltNonce: bigint;
}

/** The address of a Safe, and the call that creates it; undefined when it exists. */
export interface SafePlan {
  address: Address;
  creation: Omit<Deployment, 'bytecode'> | undefined;
}

/**
 * The call to Safe's factory that creates a Safe, and its address, which follows from owners, threshold and salt: the same set-up never makes a
 * second Safe on a chain, and makes one with the same address on every chain. The order of the owners makes no difference. Needs Safe's contracts
 * on the chain. Throws when the node does not answer.
 */
export async function planSafe(rpc: Rpc, { chainId, owners, threshold, saltNonce }: SafeSetup): Promise<SafePlan> {
  const addresses = safeContractAddresses();
  const contracts = {
    safeSingletonAddress: addresses.singleton,
    safeProxyFactoryAddress: addresses.proxyFactory,
    fallbackHandlerAddress: addresses.fallbackHandler,
    multiSendAddress: addresses.multiSend,
    multiSendCallOnlyAddress: addresses.multiSendCallOnly,
    signMessageLibAddress: addresses.signMessageLib,
    createCallAddress: addresses.createCall,
    simulateTxAccessorAddress: addresses.simulateTxAccessor,
    // protocol-kit keeps what it has read, and its failures, for the life of the process and by this record: each plan reads anew.
    plan: randomUUID(),
  };
  const kit = await Safe.init({
    // protocol-kit reads through the network's own endpoints.
    provider: { request: (request) => rpc.request(request as Parameters<Rpc['request']>[0]) },
    predictedSafe: {
      safeAccountConfig: { owners: owners.toSorted(byNumber), threshold },
      safeDeploymentConfig: { safeVersion, saltNonce: String(saltNonce) },
    },
    contractNetworks: {
      [String(chainId)]: contracts,
    },
  });
  const address = getAddress(await kit.getAddress());
  // protocol-kit throws for a Safe that exists.
  if (await kit.isSafeDeployed()) return { address, creation: undefined };
  const { to, data } = await kit.createSafeDeploymentTransaction();
  return { address, creation: { address, to: getAddress(to), data: data as Hex } };
}

function byNumber(a: Address, b: Address): number {
  return a.toLowerCase() < b.toLowerCase() ? -1 : 1;
}
