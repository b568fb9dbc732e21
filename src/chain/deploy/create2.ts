import { type Address, concat, getContractAddress, type Hex, zeroHash } from 'viem';

/**
 * The factory through which every canonical Safe contract was deployed; it stands at this address wherever there are Safes. What is
 * deployed through it gets an address that its creation code alone determines: the same on every chain, whoever sends it, and once.
 */
export const create2Factory: Address = '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7';

/** Its code, for local chains. */
export const create2FactoryCode: Hex =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';

/** A contract to be, and the call that makes it. */
export interface Deployment {
  /** Creation code with its arguments. */
  bytecode: Hex;
  address: Address;
  to: Address;
  data: Hex;
}

export function create2(bytecode: Hex): Deployment {
  const address = getContractAddress({ opcode: 'CREATE2', from: create2Factory, salt: zeroHash, bytecode });
  return { bytecode, address, to: create2Factory, data: concat([zeroHash, bytecode]) };
}
