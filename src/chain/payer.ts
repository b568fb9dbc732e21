import { setTimeout as delay } from 'node:timers/promises';
import { type Address, formatUnits, type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import { type Chain, chainFacts, largestTransactionGas } from '../platform/chains.ts';
import { StopError } from '../platform/errors.ts';
import { suggestFees } from './fees.ts';
import { isAlreadyKnown } from './refusals.ts';
import type { Rpc } from './endpoints/rpc.ts';
import type { Signer } from './signers/signer.ts';

/** How long a command waits for its transaction: this many blocks, and at least this many seconds. */
const patience = { blocks: 30, seconds: 60 };

/** Who sends and pays a command's transaction, and where. */
export interface Payer {
  rpc: Rpc;
  chain: Chain;
  signer: Signer;
}

/** A call of a contract, and the gas that a node estimated for it. */
export interface EstimatedCall {
  to: Address;
  data: Hex;
  estimate: bigint;
}

/**
 * Signs and broadcasts a transaction at the payer's next nonce. Returns its hash. A node that has a transaction with this nonce already is no
 * error: an earlier run may have sent it. Throws `insufficient_gas_funds`.
 */
export async function sendTransaction({ rpc, chain, signer }: Payer, { to, data, estimate }: EstimatedCall): Promise<Hex> {
  const [fees, balance, nonce] = await Promise.all([
    suggestFees(rpc),
    rpc.getBalance({ address: signer.address }),
    rpc.getTransactionCount({ address: signer.address, blockTag: 'latest' }),
  ]);
  const gas = withMargin(estimate, largestTransactionGas(chain));
  requireFunds({ chain, signer }, balance, gas * fees.maxFeePerGas);
  const { raw, hash } = await signer.sign({ type: 'eip1559', chainId: chainFacts(chain).id, nonce, to, data, gas, ...fees });
  try {
    await rpc.sendRawTransaction({ serializedTransaction: raw });
  } catch (error) {
    if (!isAlreadyKnown(error)) throw error;
  }
  return hash;
}

/** The first pause between two looks at the chain, in milliseconds; each is twice as long as the one before, up to half a block. */
const firstPauseMs = 100;

/** Repeats a look at the chain until it finds something. Undefined when that takes longer than a transaction should. */
export async function waitFor<T>(chain: Chain, look: () => Promise<T | undefined>): Promise<T | undefined> {
  const { blockTimeSeconds } = chainFacts(chain);
  const deadline = Date.now() + Math.max(patience.blocks * blockTimeSeconds, patience.seconds) * 1_000;
  for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
    const outcome = await look();
    if (outcome !== undefined || Date.now() > deadline) return outcome;
    await delay(Math.min(pauseMs, blockTimeSeconds * 500, 2_000));
  }
}

/** The receipt of a transaction; undefined while it is not mined. Throws when the node does not answer. */
export async function findReceipt(rpc: Rpc, hash: Hex): Promise<TransactionReceipt | undefined> {
  try {
    return await rpc.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}

/** A fifth more than the estimate. The cap limits the margin, not the estimate. */
function withMargin(estimate: bigint, cap: bigint): bigint {
  const gas = estimate + estimate / 5n;
  return gas < cap || estimate > cap ? gas : cap;
}

function requireFunds({ chain, signer }: Pick<Payer, 'chain' | 'signer'>, balance: bigint, cost: bigint): void {
  if (balance >= cost) return;
  const { symbol, decimals } = chainFacts(chain).currency;
  throw new StopError({
    code: 'insufficient_gas_funds',
    message: `${signer.address}, which pays, holds ${formatUnits(balance, decimals)} ${symbol} and may need ${formatUnits(cost, decimals)}: send it more`,
  });
}
