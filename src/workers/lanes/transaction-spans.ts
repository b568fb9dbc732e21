import type { Chain } from '../../platform/chains.ts';
import { isTracing, recordSpan } from '../../platform/tracing/spans.ts';
import type { ClaimedLeg } from '../../ledger/lanes/legs.ts';
import type { OrderTraces } from '../../ledger/orders/traces/order-traces.ts';

/** A transaction as its spans name it. */
interface SentTransaction {
  /** Its id in the ledger. */
  transaction: string;
  chain: Chain;
  signer: string;
  nonce: string;
  txHash: string;
}

/**
 * Records that a transaction was signed, recorded and broadcast: in its own trace, which it begins and which links to the orders of all its legs, and in the
 * trace of each of these orders, which links to it.
 */
export function recordSent(
  sent: SentTransaction,
  legs: readonly ClaimedLeg[],
  { startedAt, refusal }: { startedAt: number; refusal: string | undefined },
): void {
  if (!isTracing()) return;
  const { transaction, chain, signer, nonce, txHash } = sent;
  const endedAt = Date.now();
  const facts = { 'mintrail.chain': chain, 'mintrail.tx_hash': txHash };
  recordSpan({
    subject: transaction,
    name: 'send transaction',
    kind: 'client',
    isRoot: true,
    startedAt,
    endedAt,
    attributes: { ...facts, 'mintrail.signer': signer, 'mintrail.nonce': nonce, 'mintrail.legs': legs.length },
    links: legs.map(({ orderId }) => orderId),
    failure: refusal === undefined ? undefined : 'no node took it at first',
  });
  for (const { orderId, kind } of legs)
    recordSpan({
      subject: orderId,
      name: 'send leg',
      startedAt,
      endedAt,
      attributes: { ...facts, 'mintrail.leg': kind },
      links: [transaction],
    });
}

/** Records what became of a transaction, in its trace and in those of the orders that it carries. `startedAt` is in milliseconds since 1970. */
export function recordProgress(
  name: 'mine transaction' | 'replace transaction',
  { id, txHash, orderIds }: { id: string; txHash: string } & Pick<OrderTraces, 'orderIds'>,
  { startedAt, failure }: { startedAt: number; failure?: string | undefined },
): void {
  if (!isTracing()) return;
  const span = { name, startedAt, endedAt: Date.now(), attributes: { 'mintrail.tx_hash': txHash }, failure };
  recordSpan({ ...span, subject: id, links: orderIds });
  for (const order of orderIds) recordSpan({ ...span, subject: order, links: [id] });
}
