import type { Hex } from 'viem';
import { isAlreadyKnown, type Rpc } from '../../chain/rpc.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';

/**
 * Broadcasts a signed transaction that is recorded in the ledger, for the first time or again. Never throws: what the node did
 * not take is rebroadcast by the tracker, which looks at every recorded transaction once per block.
 */
export async function broadcast({ rpc, log }: { rpc: Rpc; log: Log }, { raw, hash }: { raw: Hex; hash: string }): Promise<void> {
  try {
    await rpc.sendRawTransaction({ serializedTransaction: raw });
  } catch (error) {
    if (!isAlreadyKnown(error)) log.warn({ txHash: hash, err: messageOf(error) }, 'broadcast failed; it will be repeated');
  }
}
