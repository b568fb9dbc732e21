import { type Address, encodeEventTopics, type Hex, isAddressEqual, parseAbi, zeroAddress } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { RetryError, StopError } from '../../platform/errors.ts';
import type { Payer } from '../payer.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import { readSafe, type SafeAccount } from '../safe-account.ts';
import { scanLogs } from '../token/scan-logs.ts';
import { type MinedCall, payForCall, requireFreePayer, requireSuccess } from './pay-for-call.ts';
import { roleFor } from './plan-change.ts';
import { callOf, type Proposal } from './proposal.ts';
import { encodeExecution, hashSafeTransaction, type OwnerSignature } from './safe-transaction.ts';
import { simulateCall } from './simulate-call.ts';

const safeAbi = parseAbi([
  'event ExecutionSuccess(bytes32 txHash, uint256 payment)',
  'function getTransactionHash(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, uint256 nonce) view returns (bytes32)',
]);

/** What the chain says of a proposal: it can still be executed, or it was. */
export type ProposalState =
  | { state: 'open'; safe: SafeAccount; signed: readonly OwnerSignature[] }
  | { state: 'executed'; transaction: MinedCall };

/**
 * Compares a proposal with the chain. `signed` are the signatures of the Safe's present owners. Throws `proposal_mismatch` where the Safe is
 * another one or may not make the change, `not_possible`, `not_possible_yet`, and `refused_by_contract`, found out by a simulation.
 */
export async function readProposalState(rpc: Rpc, proposal: Proposal): Promise<ProposalState> {
  const { transaction, signatures } = proposal;
  const { nonce } = transaction;
  const safe = await requireSameSafe(rpc, proposal);
  if (safe.nonce > nonce) {
    const executed = await findExecution(rpc, proposal);
    if (executed) return { state: 'executed', transaction: executed };
    throw new StopError({
      code: 'not_possible',
      message: `The Safe ${transaction.safe} has used the nonce ${nonce}; its next is ${safe.nonce}. No execution of this proposal was found from block ${proposal.block} on, so another transaction used it: propose the change again`,
    });
  }
  if (safe.nonce < nonce)
    throw new RetryError({
      code: 'not_possible_yet',
      message: `The next nonce of the Safe ${transaction.safe} is ${safe.nonce}, and this proposal has ${nonce}: others must be executed before it, or the node is behind`,
    });
  await requireAuthority(rpc, proposal);
  await simulateCall(rpc, { from: transaction.safe, to: transaction.to, data: transaction.data }, proposal.token);
  return { state: 'open', safe, signed: signatures.filter(({ signer }) => safe.owners.some((owner) => isAddressEqual(owner, signer))) };
}

/**
 * Executes a proposal, at most once: the Safe uses each nonce once. Returns its transaction, also one of an earlier run or of somebody else. Throws
 * what `readProposalState` throws, `signatures_missing`, and what paying for a call throws.
 */
export async function executeProposal(payer: Payer, proposal: Proposal): Promise<MinedCall & { isNew: boolean }> {
  const state = await readProposalState(payer.rpc, proposal);
  if (state.state === 'executed') return { ...state.transaction, isNew: false };
  const { safe, signed } = state;
  requireSignatures(safe, signed);
  await requireFreePayer(payer, proposal.token.address);
  const data = encodeExecution(proposal.transaction, signed.slice(0, safe.threshold));
  const receipt = await payForCall(payer, { to: proposal.transaction.safe, data }, proposal.token);
  // Somebody else may have executed it in the meantime.
  const other = receipt.status === 'success' ? undefined : await findExecution(payer.rpc, proposal);
  return other ? { ...other, isNew: false } : { ...requireSuccess(payer, receipt), isNew: true };
}

/** Throws `signatures_missing`, with who could still sign. */
export function requireSignatures({ threshold, owners }: SafeAccount, signed: readonly OwnerSignature[]): void {
  if (signed.length >= threshold) return;
  const missing = owners.filter((owner) => !signed.some(({ signer }) => isAddressEqual(signer, owner)));
  throw new StopError({
    code: 'signatures_missing',
    message: `${signed.length} of ${threshold} signatures are there. These owners have not signed: ${missing.join(', ')}`,
  });
}

/** The Safe of a proposal. Throws `proposal_mismatch` where there is another contract, or one that computes another hash. */
export async function requireSameSafe(rpc: Rpc, { transaction }: Proposal): Promise<SafeAccount> {
  const { safe: address, version, to, data, nonce } = transaction;
  const safe = await readSafe(rpc, address);
  if (!safe) throw mismatch(`there is no Safe at ${address} on this network`);
  if (safe.version !== version) throw mismatch(`the Safe ${address} is of version ${safe.version}, and the proposal says ${version}`);
  const args = [to, 0n, data, 0, 0n, 0n, 0n, zeroAddress, zeroAddress, BigInt(nonce)] as const;
  const hash = await rpc.readContract({ address, abi: safeAbi, functionName: 'getTransactionHash', args });
  if (hash !== hashSafeTransaction(transaction)) throw mismatch(`the Safe ${address} computes another hash, ${hash}`);
  return safe;
}

/**
 * The simulation shows what the Safe may do; that a timelock may change the token is not seen before its delay is over. Throws `proposal_mismatch` where
 * it may not.
 */
export async function requireAuthority(rpc: Rpc, proposal: Proposal): Promise<void> {
  const { change, timelock } = callOf(proposal);
  if (!timelock) return;
  const token = proposal.token.address;
  const args = [await roleFor(rpc, token, change), timelock.address] as const;
  if (await rpc.readContract({ address: token, abi: eMoneyTokenAbi, functionName: 'hasRole', args })) return;
  throw mismatch(`the timelock ${timelock.address} may not make this change of the token ${token}`);
}

/** The transaction that executed the proposal; undefined when there is none or the node cannot tell. */
async function findExecution(rpc: Rpc, proposal: Proposal): Promise<MinedCall | undefined> {
  try {
    return await readExecution(rpc, proposal);
  } catch (error) {
    if (error instanceof StopError) return undefined;
    throw error;
  }
}

/** The transaction that executed the proposal, found by the event of its Safe; undefined when there is none. Throws what `scanLogs` throws. */
export async function readExecution(rpc: Rpc, { transaction, block }: Proposal): Promise<MinedCall | undefined> {
  const hash = hashSafeTransaction(transaction);
  const [topic] = encodeEventTopics({ abi: safeAbi, eventName: 'ExecutionSuccess' });
  const logs = await scanLogs(rpc, block, ({ fromBlock, toBlock }) => executionLogs(rpc, transaction.safe, topic, fromBlock, toBlock));
  // Version 1.3.0 writes the hash into the data, later ones into a topic.
  const log = logs.find(({ topics, data }) => topics[1] === hash || data.startsWith(hash));
  return log?.transactionHash && log.blockNumber ? { hash: log.transactionHash, block: BigInt(log.blockNumber) } : undefined;
}

function executionLogs(rpc: Rpc, address: Address, topic: Hex, fromBlock: bigint, toBlock: bigint) {
  const range = { fromBlock: `0x${fromBlock.toString(16)}`, toBlock: `0x${toBlock.toString(16)}` } as const;
  return rpc.request({ method: 'eth_getLogs', params: [{ address, topics: [topic], ...range }] });
}

function mismatch(what: string): StopError {
  return new StopError({ code: 'proposal_mismatch', message: `Do not sign this proposal: ${what}` });
}
