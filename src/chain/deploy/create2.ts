import { type Address, concat, getContractAddress, type Hex, zeroHash } from 'viem';

/**
 * Safe's singleton factory, which is at this address on every chain with Safe's canonical contracts. A contract that it deploys gets an address
 * that follows from the creation code: the same on every chain and for every sender, and only once.
 */
export const create2Factory: Address = '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7';

/** The factory's code, for local chains. */
export const create2FactoryCode: Hex =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';

/** A contract to deploy, and the call to the factory that deploys it. */
export interface Deployment {
  /** Creation code with its arguments. */
  bytecode: Hex;
  address: Address;
  to: Address;
  data: Hex;
}

/** The deployment of creation code through the factory, with salt 0. */
export function create2(bytecode: Hex): Deployment {
  const address = getContractAddress({ opcode: 'CREATE2', from: create2Factory, salt: zeroHash, bytecode });
  return { bytecode, address, to: create2Factory, data: concat([zeroHash, bytecode]) };
}
