import { type Address, parseAbi } from 'viem';
import { hasCode, orUnlike } from './probes/token.ts';
import type { Rpc } from './rpc.ts';

const safeAbi = parseAbi([
  'function VERSION() view returns (string)',
  'function getThreshold() view returns (uint256)',
  'function getOwners() view returns (address[])',
]);

/** What a Safe says of itself. */
export interface SafeAccount {
  version: string;
  threshold: number;
  owners: readonly Address[];
}

/** The Safe at an address; undefined where there is something else, or nothing. Throws when the node cannot tell. */
export async function readSafe(rpc: Rpc, address: Address): Promise<SafeAccount | undefined> {
  if (!(await hasCode(rpc, address))) return undefined;
  const read = { address, abi: safeAbi } as const;
  const answers = await orUnlike(rpc, () =>
    Promise.all([
      rpc.readContract({ ...read, functionName: 'VERSION' }),
      rpc.readContract({ ...read, functionName: 'getThreshold' }),
      rpc.readContract({ ...read, functionName: 'getOwners' }),
    ]),
  );
  if (!answers) return undefined;
  const [version, threshold, owners] = answers;
  return owners.length >= Number(threshold) && threshold > 0n ? { version, threshold: Number(threshold), owners } : undefined;
}
