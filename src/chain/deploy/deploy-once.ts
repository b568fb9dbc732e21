import { setTimeout as delay } from 'node:timers/promises';
import { formatUnits, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import { type Chain, chainFacts, largestTransactionGas, transactionUrl } from '../../platform/chains.ts';
import { RetryError, StopError } from '../../platform/errors.ts';
import { hasCode } from '../contract.ts';
import { suggestFees } from '../fees.ts';
import { isAlreadyKnown } from '../refusals.ts';
import type { Rpc } from '../rpc.ts';
import type { Signer } from '../signers/signer.ts';
import type { Deployment } from './create2.ts';

/** How long to wait for a deployment to be mined: this many blocks, and at least this many seconds. */
const patience = { blocks: 30, seconds: 60 };

/** Where contracts are deployed, and who pays. */
export interface Deployer {
  rpc: Rpc;
  chain: Chain;
  /** Pays for the deployment. */
  signer: Signer;
}

/**
 * Deploys a contract unless it is deployed already, and waits until it is mined. Returns its block, or `already deployed`. It may be
 * interrupted at any moment and run again: CREATE2 deploys the same creation code only once, whoever sends it. Throws the StopErrors
 * `insufficient_gas_funds` and `deployment_failed`, and the RetryError `deployment_pending` when it is not mined in time.
 */
export async function deployOnce(deployer: Deployer, deployment: Deployment): Promise<{ block: bigint } | 'already deployed'> {
  const { rpc, chain, signer } = deployer;
  const { address, to, data } = deployment;
  if (await hasCode(rpc, address)) return 'already deployed';
  const estimate = await estimateGas(deployer, deployment);
  if (estimate === 'in flight') return { block: await waitUntilMined(deployer, deployment) };
  const [fees, balance, nonce] = await Promise.all([
    suggestFees(rpc),
    rpc.getBalance({ address: signer.address }),
    rpc.getTransactionCount({ address: signer.address, blockTag: 'latest' }),
  ]);
  const gas = withMargin(estimate, largestTransactionGas(chain));
  requireFunds(deployer, balance, gas * fees.maxFeePerGas);
  const { raw, hash } = await signer.sign({ type: 'eip1559', chainId: chainFacts(chain).id, nonce, to, data, gas, ...fees });
  try {
    await rpc.sendRawTransaction({ serializedTransaction: raw });
  } catch (error) {
    // The transaction of an earlier run may be in flight; it deploys the same contract.
    if (!isAlreadyKnown(error)) throw error;
  }
  return { block: await waitUntilMined(deployer, deployment, hash) };
}

/** The gas of a deployment, or `in flight` when one is pending: nodes refuse the estimate for a second deployment at the same address. */
async function estimateGas({ rpc, signer }: Deployer, { address, to, data }: Deployment): Promise<bigint | 'in flight'> {
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

/** A fifth more than the estimate. The cap limits the margin, not the estimate. */
function withMargin(estimate: bigint, cap: bigint): bigint {
  const gas = estimate + estimate / 5n;
  return gas < cap || estimate > cap ? gas : cap;
}

function requireFunds({ chain, signer }: Deployer, balance: bigint, cost: bigint): void {
  if (balance >= cost) return;
  const { symbol, decimals } = chainFacts(chain).currency;
  throw new StopError({
    code: 'insufficient_gas_funds',
    message: `The deployer ${signer.address} holds ${formatUnits(balance, decimals)} ${symbol} and may need ${formatUnits(cost, decimals)}: send it more`,
  });
}

/** The block in which the contract was deployed, by this transaction or an earlier one. */
async function waitUntilMined({ rpc, chain }: Deployer, { address }: Deployment, hash?: `0x${string}`): Promise<bigint> {
  const { blockTimeSeconds } = chainFacts(chain);
  const deadline = Date.now() + Math.max(patience.blocks * blockTimeSeconds, patience.seconds) * 1_000;
  for (;;) {
    const receipt = hash && (await findReceipt(rpc, hash));
    if (await hasCode(rpc, address)) return receipt?.blockNumber ?? (await rpc.getBlockNumber({ cacheTime: 0 }));
    if (receipt)
      throw new StopError({
        code: 'deployment_failed',
        message: `The deployment reverted: ${transactionUrl(chain, receipt.transactionHash)}`,
      });
    if (Date.now() > deadline)
      throw new RetryError({
        code: 'deployment_pending',
        message: `The deployment of ${address} is not mined yet${hash ? `: ${transactionUrl(chain, hash)}` : ''}. Run the same command again: it continues there and deploys no second token`,
      });
    await delay(Math.min(blockTimeSeconds * 500, 2_000));
  }
}

async function findReceipt(rpc: Rpc, hash: `0x${string}`): Promise<TransactionReceipt | undefined> {
  try {
    return await rpc.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}
