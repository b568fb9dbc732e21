import type { Fees } from '../../chain/fees.ts';
import type { Rpc } from '../../chain/endpoints/rpc.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import type { Attempt } from '../../ledger/lanes/transactions.ts';
import { chainFacts, largestTransactionGas } from '../../platform/chains.ts';
import type { NetworkSettings } from '../../platform/settings.ts';

/** Gas of a transfer of gas money to an account without code (Ethereum's yellow paper, G_transaction). */
const transferGas = 21_000n;

/** More gas than a self-transfer takes anywhere: on Arbitrum it pays for its publication. */
export const selfTransferGasBound = 2_000_000n;

interface SelfTransferDeps {
  rpc: Rpc;
  signer: Signer;
  network: NetworkSettings;
}

/** A signed transfer of nothing from a signer to itself, ready to be recorded with the kind `cancel`. */
export type SelfTransfer = Attempt & { raw: `0x${string}`; hash: `0x${string}`; gasLimit: bigint };

/**
 * Signs a transfer of nothing from the signer to itself: it uses up a nonce that would hold up all later ones. It is neither recorded nor
 * broadcast. Throws what the signer throws.
 */
export async function signSelfTransfer(
  deps: SelfTransferDeps,
  { nonce, fees: { maxFeePerGas, maxPriorityFeePerGas } }: { nonce: bigint; fees: Fees },
): Promise<SelfTransfer> {
  const { signer, network } = deps;
  const { address } = signer;
  const fees = { maxFeePerGas, maxPriorityFeePerGas };
  const gasLimit = await gasOfSelfTransfer(deps);
  const { id: chainId } = chainFacts(network.chain);
  const signed = await signer.sign({ type: 'eip1559', chainId, nonce: Number(nonce), to: address, value: 0n, gas: gasLimit, ...fees });
  return { ...signed, ...fees, gasLimit };
}

/**
 * Arbitrum counts the publication of a transaction on Ethereum as gas, so that only its nodes know how much a transfer takes; it changes until
 * the transaction is mined, so there is half as much again. Elsewhere, and when no node answers, the transfer takes what it always does.
 */
async function gasOfSelfTransfer({ rpc, signer, network }: SelfTransferDeps): Promise<bigint> {
  const { address } = signer;
  const estimate = await rpc.estimateGas({ account: address, to: address, value: 0n }).catch(() => transferGas);
  if (estimate <= transferGas) return transferGas;
  const withMargin = estimate + estimate / 2n;
  const largest = largestTransactionGas(network.chain);
  return withMargin < largest ? withMargin : largest;
}
