import type { Address, Hex, TransactionReceipt } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { transactionUrl } from '../../platform/chains.ts';
import { RetryError, StopError } from '../../platform/errors.ts';
import { findReceipt, type Payer, sendTransaction, waitFor } from '../payer.ts';
import type { TokenName } from '../token/contract-errors.ts';
import { tokenRoles } from '../token/roles.ts';
import { simulateCall } from './simulate-call.ts';

/** A transaction that was mined. */
export interface MinedCall {
  hash: Hex;
  block: bigint;
}

/** A call that a payer sends in a transaction of its own. */
export interface PaidCall {
  to: Address;
  data: Hex;
}

/**
 * Refuses a payer whose nonces belong to a lane, or who has a transaction in flight: it may be this one, sent by a run that broke off. Throws
 * `bad_input` and `not_possible_yet`.
 */
export async function requireFreePayer({ rpc, signer }: Payer, token: Address): Promise<void> {
  const { address } = signer;
  const args = [tokenRoles.OPERATOR_ROLE, address] as const;
  if (await rpc.readContract({ address: token, abi: eMoneyTokenAbi, functionName: 'hasRole', args }))
    throw new StopError({
      code: 'bad_input',
      message: `${address} is an operator of the token, whose worker owns its nonces: let another account pay`,
    });
  const [pending, mined] = await Promise.all([
    rpc.getTransactionCount({ address, blockTag: 'pending' }),
    rpc.getTransactionCount({ address, blockTag: 'latest' }),
  ]);
  if (pending <= mined) return;
  throw new RetryError({
    code: 'not_possible_yet',
    message: `${address} has a transaction that is not mined yet, maybe this one: wait until it is, then run the same command again. Nothing was sent`,
  });
}

/**
 * Simulates a call for a change of a token, sends it once and waits until it is mined. Returns its receipt, which may be that of a revert. Throws `refused_by_contract`,
 * `insufficient_gas_funds`, and `not_possible_yet` when it is not mined in time.
 */
export async function payForCall(payer: Payer, { to, data }: PaidCall, token: TokenName): Promise<TransactionReceipt> {
  const { rpc, chain, signer } = payer;
  await simulateCall(rpc, { from: signer.address, to, data }, token);
  // Some nodes would count in what is pending: somebody else's execution of the same proposal would then look like a refusal.
  const estimate = await rpc.estimateGas({ account: signer.address, to, data, blockTag: 'latest' });
  const hash = await sendTransaction(payer, { to, data, estimate });
  const receipt = await waitFor(chain, () => findReceipt(rpc, hash));
  if (receipt) return receipt;
  throw new RetryError({
    code: 'not_possible_yet',
    message: `The transaction was sent and is not mined yet: ${transactionUrl(chain, hash)}. Look at it, then run the same command again`,
  });
}

/** The transaction of a receipt. Throws `transaction_reverted`. */
export function requireSuccess({ chain }: Payer, { status, transactionHash, blockNumber }: TransactionReceipt): MinedCall {
  if (status === 'success') return { hash: transactionHash, block: blockNumber };
  throw new StopError({
    code: 'transaction_reverted',
    message: `The transaction reverted, and changed nothing: ${transactionUrl(chain, transactionHash)}`,
  });
}
