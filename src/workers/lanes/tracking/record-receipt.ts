import type { TransactionReceipt } from 'viem';
import type { Ledger } from '../../../ledger/ledger.ts';
import { markFailed, markMined } from '../../../ledger/lanes/transactions.ts';
import { tracesOfTransaction } from '../../../ledger/orders/traces/order-traces.ts';
import { recordProgress } from '../transaction-spans.ts';
import type { Log } from '../../../platform/log.ts';

/** What the recording of receipts needs. */
export interface ReceiptDeps {
  ledger: Ledger;
  log: Log;
  /** Called with each receipt that is recorded, for the metrics; once more after a reorganisation. */
  onReceipt?: ((receipt: Pick<TransactionReceipt, 'status' | 'gasUsed'>) => void) | undefined;
}

/**
 * Records what a receipt says of a transaction. A revert counts at once, so that the legs go out again with the next transaction: that is
 * harmless if a reorganisation takes the block away. Whoever draws conclusions from reverts waits until their block is deep.
 */
export async function recordReceipt(
  { ledger, log, onReceipt }: ReceiptDeps,
  { id, nonce }: { id: string; nonce: bigint },
  receipt: TransactionReceipt,
): Promise<void> {
  const startedAt = Date.now();
  const { transactionHash: hash, blockNumber, blockHash, gasUsed } = receipt;
  const mined = { hash, blockNumber, blockHash, gasUsed };
  const isMined = receipt.status !== 'reverted';
  // Once it has failed, it carries no legs.
  const traces = isMined ? await markMined(ledger, id, mined) : await tracesOfTransaction(ledger, id);
  if (!isMined) await markFailed(ledger, id, { state: 'reverted', ...mined });
  const facts = { txHash: hash, nonce: nonce.toString(), block: blockNumber.toString(), ...traces };
  if (isMined) log.info({ ...facts, gasUsed: gasUsed.toString() }, 'transaction mined');
  else log.error(facts, 'transaction reverted: its legs are ready again; the next estimate shows the cause');
  recordProgress('mine transaction', { id, txHash: hash, ...traces }, { startedAt, failure: isMined ? undefined : 'reverted' });
  onReceipt?.(receipt);
}
