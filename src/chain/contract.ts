import { type Address, BaseError, type Hex, HttpRequestError, RpcRequestError, TimeoutError, zeroAddress } from 'viem';
import { callGas } from './call-gas.ts';
import { answerOrRefusal } from './node-answer.ts';
import type { Rpc } from './endpoints/rpc.ts';

/** Storage slot in which a proxy keeps the address of its code: keccak256("eip1967.proxy.implementation") - 1 (ERC-1967). */
export const implementationSlot: Hex = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';

/** Whether there is a contract at an address. Throws when the node does not answer. */
export async function hasCode(rpc: Rpc, address: Address): Promise<boolean> {
  return (await readCode(rpc, address)) !== '0x';
}

/** The code at an address, `0x` where there is no contract. Throws when the node does not answer. */
export async function readCode(rpc: Rpc, address: Address): Promise<Hex> {
  const code = await rpc.request({ method: 'eth_getCode', params: [address, 'latest'] });
  // Some nodes answer null during an outage.
  if (typeof code !== 'string') throw new Error('the node did not answer eth_getCode');
  return code;
}

/** The address of a proxy's code (ERC-1967); undefined when the contract is not such a proxy. */
export async function readImplementation(rpc: Rpc, proxy: Address): Promise<Address | undefined> {
  const word = await rpc.getStorageAt({ address: proxy, slot: implementationSlot });
  const address = `0x${(word ?? '0x').slice(2).padStart(64, '0').slice(24)}` as const;
  return address === zeroAddress ? undefined : address;
}

/**
 * Reads from a contract that may be of another kind. Undefined when it does not support the call: it reverts, runs out of gas or returns
 * something else, while the node serves another call. Throws when the node does not answer.
 */
export async function readIfSupported<T>(rpc: Rpc, read: () => Promise<T>): Promise<T | undefined> {
  const control = () => callGas(rpc, 'latest');
  try {
    const result = await answerOrRefusal(read, control);
    return 'answer' in result ? result.answer : undefined;
  } catch (error) {
    if (!isUndecodable(error)) throw error;
    await control();
    return undefined;
  }
}

/** Whether the node answered, with data that the function does not return. */
function isUndecodable(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  return !error.walk((inner) => inner instanceof RpcRequestError || inner instanceof HttpRequestError || inner instanceof TimeoutError);
}
