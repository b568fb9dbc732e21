import { type Address, numberToHex, parseAbi } from 'viem';
import type { ConfirmationPolicy } from '../../platform/chain-table.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import { readExecution } from './execute-proposal.ts';
import type { MinedCall } from './pay-for-call.ts';
import { callOf, type Proposal } from './proposal.ts';
import { readOperation } from './timelock.ts';

/**
 * What a chain has made of a proposal: nothing yet; a transaction has used its nonce in a block that does not count yet; executed; scheduled in a
 * timelock (`readyAt` is in seconds since 1970) or taken out of it; replaced by another transaction with its nonce.
 */
export type ProposalFate =
  | { fate: 'open' | 'unconfirmed' | 'replaced' }
  | ({ fate: 'executed' | 'cancelled' } & MinedCall)
  | ({ fate: 'scheduled'; readyAt: bigint } & MinedCall);

const safeAbi = parseAbi(['function nonce() view returns (uint256)']);

/** Reads the fate of a proposal, which counts by the confirmation policy. Throws when the node does not answer, and what `scanLogs` throws. */
export async function readProposalFate(rpc: Rpc, proposal: Proposal, confirmations: ConfirmationPolicy): Promise<ProposalFate> {
  const { safe, nonce } = proposal.transaction;
  if ((await readNonce(rpc, safe, 'latest')) <= nonce) return { fate: 'open' };
  if ((await readNonce(rpc, safe, await confirmedBlock(rpc, confirmations))) <= nonce) return { fate: 'unconfirmed' };
  const execution = await readExecution(rpc, proposal);
  if (!execution) return { fate: 'replaced' };
  const { timelock } = callOf(proposal);
  if (timelock?.step.step !== 'schedule') return { fate: 'executed', ...execution };
  const operation = await readOperation(rpc, timelock.address, timelock.step.operation);
  if (operation === 'done') return { fate: 'executed', ...execution };
  if (operation === 'absent') return { fate: 'cancelled', ...execution };
  return { fate: 'scheduled', readyAt: operation, ...execution };
}

type BlockName = 'latest' | 'safe' | 'finalized' | bigint;

async function confirmedBlock(rpc: Rpc, confirmations: ConfirmationPolicy): Promise<BlockName> {
  if (typeof confirmations !== 'number') return confirmations;
  if (confirmations === 0) return 'latest';
  const head = await rpc.getBlockNumber({ cacheTime: 0 });
  return head > BigInt(confirmations) ? head - BigInt(confirmations) : 0n;
}

/** A Safe that did not exist at the block yet has used no nonce. */
async function readNonce(rpc: Rpc, safe: Address, block: BlockName): Promise<bigint> {
  const at = typeof block === 'bigint' ? { blockNumber: block } : { blockTag: block };
  const where = typeof block === 'bigint' ? numberToHex(block) : block;
  if ((await rpc.request({ method: 'eth_getCode', params: [safe, where] })) === '0x') return 0n;
  return rpc.readContract({ address: safe, abi: safeAbi, functionName: 'nonce', ...at });
}
