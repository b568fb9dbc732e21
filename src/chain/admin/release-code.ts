import { type Address, type Hex, padHex } from 'viem';
import {
  eMoneyTokenBytecode,
  eMoneyTokenRuntime,
  erc1967ProxyBytecode,
  erc1967ProxyRuntime,
  timelockControllerBytecode,
  timelockControllerRuntime,
} from '../../../abis/bytecode.ts';

/** A contract of a token as this release deploys it. */
export type ReleaseContract = 'proxy' | 'implementation' | 'timelock';

/** Where creation code holds the runtime code, and in that the contract's own address. */
interface RuntimeCode {
  start: number;
  ownAddressAt: readonly number[];
}

const contracts: Record<ReleaseContract, { bytecode: Hex; runtime: RuntimeCode }> = {
  proxy: { bytecode: erc1967ProxyBytecode, runtime: erc1967ProxyRuntime },
  implementation: { bytecode: eMoneyTokenBytecode, runtime: eMoneyTokenRuntime },
  timelock: { bytecode: timelockControllerBytecode, runtime: timelockControllerRuntime },
};

/**
 * The runtime code of a contract of this release at an address. It is compared byte by byte: the only immutable value is the contract's own address,
 * and the compiler appends no metadata (foundry.toml).
 */
export function releaseCodeAt(contract: ReleaseContract, address: Address): Hex {
  const { bytecode, runtime } = contracts[contract];
  const word = padHex(address, { size: 32 }).slice(2).toLowerCase();
  let code = bytecode.slice(2 + 2 * runtime.start);
  for (const offset of runtime.ownAddressAt) code = code.slice(0, 2 * offset) + word + code.slice(2 * (offset + 32));
  return `0x${code}`;
}
