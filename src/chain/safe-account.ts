import { type Address, parseAbi } from 'viem';
import { hasCode, readIfSupported } from './contract.ts';
import type { Rpc } from './endpoints/rpc.ts';

const safeAbi = parseAbi([
  'function VERSION() view returns (string)',
  'function getThreshold() view returns (uint256)',
  'function getOwners() view returns (address[])',
  'function nonce() view returns (uint256)',
]);

/** Facts that a Safe reports of itself. */
export interface SafeAccount {
  version: string;
  threshold: number;
  owners: readonly Address[];
  /** Of its next transaction. */
  nonce: number;
}

/** The Safe at an address; undefined when there is no contract or another one. Throws when the node does not answer. */
export async function readSafe(rpc: Rpc, address: Address): Promise<SafeAccount | undefined> {
  if (!(await hasCode(rpc, address))) return undefined;
  const read = { address, abi: safeAbi } as const;
  const answers = await readIfSupported(rpc, () =>
    Promise.all([
      rpc.readContract({ ...read, functionName: 'VERSION' }),
      rpc.readContract({ ...read, functionName: 'getThreshold' }),
      rpc.readContract({ ...read, functionName: 'getOwners' }),
      rpc.readContract({ ...read, functionName: 'nonce' }),
    ]),
  );
  if (!answers) return undefined;
  const [version, threshold, owners, nonce] = answers;
  const isSafe = owners.length >= Number(threshold) && threshold > 0n;
  return isSafe ? { version, threshold: Number(threshold), owners, nonce: Number(nonce) } : undefined;
}
