import { type Hex, hashTypedData, parseAbiItem } from 'viem';
import type { LowerAddress } from '../../platform/addresses.ts';
import { StopError } from '../../platform/errors.ts';
import type { Rpc } from '../rpc.ts';
import { scanLogs } from '../token/scan-logs.ts';

const signMsg = parseAbiItem('event SignMsg(bytes32 indexed msgHash)');

/** What a Safe has signed on chain, and the blocks in which to look for it. */
export interface SafeMessage {
  address: LowerAddress;
  chainId: number;
  /** EIP-191 hash of the message. */
  digest: Hex;
  fromBlock: bigint;
}

/**
 * The number of the newest block in which a Safe signed a message on chain: that of its event `SignMsg`. Undefined when there is none in the
 * blocks that were asked for, as with accounts of another kind, or when the node serves no logs. Throws when the node does not answer.
 */
export async function findSafeSignature(rpc: Rpc, { address, chainId, digest, fromBlock }: SafeMessage): Promise<bigint | undefined> {
  const msgHash = safeMessageHashes(address, chainId, digest);
  try {
    const logs = await scanLogs(rpc, fromBlock, (range) =>
      rpc.getLogs({ address, event: signMsg, args: { msgHash }, strict: true, ...range }),
    );
    return logs.at(-1)?.blockNumber;
  } catch (error) {
    if (error instanceof StopError) return undefined;
    throw error;
  }
}

/** The hashes that a Safe makes of a message. Before version 1.3.0 its domain had no chain id. */
function safeMessageHashes(address: LowerAddress, chainId: number, digest: Hex): Hex[] {
  const types = { SafeMessage: [{ name: 'message', type: 'bytes' }] } as const;
  const domains = [{ chainId, verifyingContract: address }, { verifyingContract: address }];
  return domains.map((domain) => hashTypedData({ domain, types, primaryType: 'SafeMessage', message: { message: digest } }));
}
