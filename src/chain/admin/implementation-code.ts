import { type Address, type Hex, isAddressEqual, keccak256 } from 'viem';
import { eMoneyTokenBytecode } from '../../../abis/bytecode.ts';
import { StopError } from '../../platform/errors.ts';
import { readCode } from '../contract.ts';
import { create2 } from '../deploy/create2.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import { releaseCodeAt } from './release-code.ts';
import type { TokenChange } from './token-change.ts';

/** What is known of the code that an upgrade puts in. */
export interface ImplementationCode {
  address: Address;
  isOfThisRelease: boolean;
  /** keccak256 of the runtime code; undefined where the chain was not read. */
  hash: Hex | undefined;
}

/** What the code of an account begins with that delegates to a contract, and can delegate to another one at any time (EIP-7702). */
const delegationPrefix = '0xef0100';

/**
 * Reads the code that a change puts in and compares it with that of this release; undefined for a change that is no upgrade. Throws
 * `not_possible` where there is no code that stays as it is.
 */
export async function readImplementationCode(rpc: Rpc, change: TokenChange): Promise<ImplementationCode | undefined> {
  if (change.kind !== 'upgrade') return undefined;
  const address = change.implementation;
  const code = (await readCode(rpc, address)).toLowerCase() as Hex;
  if (code === '0x' || code.startsWith(delegationPrefix)) {
    const message = `The token cannot be upgraded to ${address}: there is no contract with code of its own`;
    throw new StopError({ code: 'not_possible', message });
  }
  return { address, isOfThisRelease: isReleaseCode(address, code), hash: keccak256(code) };
}

/** The same without the chain: an address that follows from the code of this release (CREATE2) can hold no other code. */
export function implementationByAddress(change: TokenChange): ImplementationCode | undefined {
  if (change.kind !== 'upgrade') return undefined;
  const address = change.implementation;
  return { address, isOfThisRelease: isAddressEqual(address, create2(eMoneyTokenBytecode).address), hash: undefined };
}

/**
 * Throws `not_possible` for code that this release does not know, unless `acceptedHash` is its hash. Any UUPS contract passes the simulation of an
 * upgrade, so only the code itself says what the token becomes. No hash can be accepted without the chain, which has the code.
 */
export function requireAcceptedCode(code: ImplementationCode | undefined, acceptedHash: Hex | undefined): void {
  if (!code || (code.isOfThisRelease && acceptedHash === undefined)) return;
  const { address, hash } = code;
  if (hash !== undefined && hash === acceptedHash?.toLowerCase()) return;
  throw new StopError({ code: 'not_possible', message: `Nothing was signed or sent: ${faultOf(address, hash, acceptedHash)}` });
}

function faultOf(address: Address, hash: Hex | undefined, acceptedHash: Hex | undefined): string {
  if (hash === undefined) return `whether ${address} has the code that was reviewed can be seen only on the chain: leave --offline out`;
  if (acceptedHash !== undefined) return `the hash of the code at ${address} is ${hash}, and not ${acceptedHash}`;
  return `this release does not know the code at ${address}. Once you have reviewed it, add --code-hash with the keccak256 of what you reviewed; the hash on the chain is ${hash}`;
}

/** Whether the code at an address is that of this release's implementation. */
export function isReleaseCode(address: Address, code: Hex): boolean {
  return code.toLowerCase() === releaseCodeAt('implementation', address);
}
