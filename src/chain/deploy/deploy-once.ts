import { setTimeout as delay } from 'node:timers/promises';
import { formatUnits, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import { type Chain, chainFacts, largestTransactionGas, transactionUrl } from '../../platform/chains.ts';
import { RetryError, StopError } from '../../platform/errors.ts';
import type { Deployment } from './create2.ts';
import { suggestFees } from '../fees.ts';
import { hasCode } from '../probes/token.ts';
import { isAlreadyKnown, type Rpc } from '../rpc.ts';
import type { Signer } from '../signers/signer.ts';

/** Blocks, and at least seconds, until a deployment that is not mined is left to another run. */
const patience = { blocks: 30, seconds: 60 };

export interface Payer {
  rpc: Rpc;
  chain: Chain;
  signer: Signer;
}

/**
 * Deploys a contract that is not there yet, and waits until it is; returns the block. It may be broken off anywhere and begun again: the
 * same creation code deploys once, whoever sends it. Throws StopError when the account cannot pay or the creation fails, RetryError when it is
 * not mined in time.
 */
export async function carryOut(payer: Payer, deployment: Deployment): Promise<{ block: bigint } | 'there'> {
  const { rpc, chain, signer } = payer;
  const { address, to, data } = deployment;
  if (await hasCode(rpc, address)) return 'there';
  const estimate = await estimateUnlessUnderWay(payer, deployment);
  if (estimate === 'under way') return { block: await arrival(payer, deployment) };
  const [fees, balance, nonce] = await Promise.all([
    suggestFees(rpc),
    rpc.getBalance({ address: signer.address }),
    rpc.getTransactionCount({ address: signer.address, blockTag: 'latest' }),
  ]);
  const margin = estimate + estimate / 5n;
  const cap = largestTransactionGas(chain);
  const gas = margin < cap || estimate > cap ? margin : cap;
  requireMoney(payer, balance, gas * fees.maxFeePerGas);
  const { raw, hash } = await signer.sign({ type: 'eip1559', chainId: chainFacts(chain).id, nonce, to, data, gas, ...fees });
  try {
    await rpc.sendRawTransaction({ serializedTransaction: raw });
  } catch (error) {
    // One of an earlier run may be on its way; it deploys the same.
    if (!isAlreadyKnown(error)) throw error;
  }
  return { block: await arrival(payer, deployment, hash) };
}

/** The gas of a deployment; a second one of the same is refused, also while the first is only pending. */
async function estimateUnlessUnderWay({ rpc, signer }: Payer, { address, to, data }: Deployment): Promise<bigint | 'under way'> {
  try {
    return await rpc.estimateGas({ account: signer.address, to, data });
  } catch (error) {
    const [pending, mined] = await Promise.all([
      rpc.getTransactionCount({ address: signer.address, blockTag: 'pending' }),
      rpc.getTransactionCount({ address: signer.address, blockTag: 'latest' }),
    ]);
    if (pending > mined || (await hasCode(rpc, address))) return 'under way';
    throw error;
  }
}

function requireMoney({ chain, signer }: Payer, balance: bigint, cost: bigint): void {
  if (balance >= cost) return;
  const { symbol, decimals } = chainFacts(chain).currency;
  throw new StopError({
    code: 'insufficient_gas_funds',
    message: `The deployer ${signer.address} holds ${formatUnits(balance, decimals)} ${symbol} and may need ${formatUnits(cost, decimals)}: send it more`,
  });
}

/** The block in which the contract came, by our transaction or an earlier one. */
async function arrival({ rpc, chain }: Payer, { address }: Deployment, hash?: `0x${string}`): Promise<bigint> {
  const { blockTimeSeconds } = chainFacts(chain);
  const deadline = Date.now() + Math.max(patience.blocks * blockTimeSeconds, patience.seconds) * 1_000;
  for (;;) {
    const receipt = hash && (await receiptOf(rpc, hash));
    if (await hasCode(rpc, address)) return receipt?.blockNumber ?? (await rpc.getBlockNumber({ cacheTime: 0 }));
    if (receipt)
      throw new StopError({
        code: 'deployment_failed',
        message: `The deployment was reverted: ${transactionUrl(chain, receipt.transactionHash)}`,
      });
    if (Date.now() > deadline)
      throw new RetryError({
        code: 'deployment_pending',
        message: `The deployment of ${address} is not mined yet${hash ? `: ${transactionUrl(chain, hash)}` : ''}. Run the same command again; it goes on there, and makes no second token`,
      });
    await delay(Math.min(blockTimeSeconds * 500, 2_000));
  }
}

async function receiptOf(rpc: Rpc, hash: `0x${string}`): Promise<TransactionReceipt | undefined> {
  try {
    return await rpc.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}
