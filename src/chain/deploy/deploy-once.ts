import { transactionUrl } from '../../platform/chains.ts';
import { RetryError, StopError } from '../../platform/errors.ts';
import { hasCode } from '../contract.ts';
import { findReceipt, type Payer, sendTransaction, waitFor } from '../payer.ts';
import type { Deployment } from './create2.ts';

/** A deployment as far as it is sent. */
type DeploymentCall = Omit<Deployment, 'bytecode'>;

/**
 * Deploys a contract unless it is deployed already, and waits until it is mined. Returns its block, or `already deployed`. It may be
 * interrupted at any moment and run again: CREATE2 deploys the same creation code only once, whoever sends it. Throws the StopErrors
 * `insufficient_gas_funds` and `transaction_reverted`, and the RetryError `not_possible_yet` when it is not mined in time.
 */
export async function deployOnce(payer: Payer, deployment: DeploymentCall): Promise<{ block: bigint } | 'already deployed'> {
  const { address, to, data } = deployment;
  if (await hasCode(payer.rpc, address)) return 'already deployed';
  const estimate = await estimateGas(payer, deployment);
  if (estimate === 'in flight') return { block: await waitUntilMined(payer, deployment) };
  const hash = await sendTransaction(payer, { to, data, estimate });
  return { block: await waitUntilMined(payer, deployment, hash) };
}

/** The gas of a deployment, or `in flight` when one is pending: nodes refuse the estimate for a second deployment at the same address. */
async function estimateGas({ rpc, signer }: Payer, { address, to, data }: DeploymentCall): Promise<bigint | 'in flight'> {
  try {
    return await rpc.estimateGas({ account: signer.address, to, data });
  } catch (error) {
    const [pending, mined] = await Promise.all([
      rpc.getTransactionCount({ address: signer.address, blockTag: 'pending' }),
      rpc.getTransactionCount({ address: signer.address, blockTag: 'latest' }),
    ]);
    if (pending > mined || (await hasCode(rpc, address))) return 'in flight';
    throw error;
  }
}

/** The block in which the contract was deployed, by this transaction or an earlier one. */
async function waitUntilMined({ rpc, chain }: Payer, { address }: DeploymentCall, hash?: `0x${string}`): Promise<bigint> {
  const block = await waitFor(chain, async () => {
    const receipt = hash && (await findReceipt(rpc, hash));
    if (await hasCode(rpc, address)) return receipt?.blockNumber ?? (await rpc.getBlockNumber({ cacheTime: 0 }));
    if (!receipt) return undefined;
    throw new StopError({
      code: 'transaction_reverted',
      message: `The deployment reverted: ${transactionUrl(chain, receipt.transactionHash)}`,
    });
  });
  if (block !== undefined) return block;
  throw new RetryError({
    code: 'not_possible_yet',
    message: `The deployment of ${address} is not mined yet${hash ? `: ${transactionUrl(chain, hash)}` : ''}. Run the same command again: it continues there and deploys nothing twice`,
  });
}
