import { getAddress } from 'viem';
import type { OrderFacts } from '../ledger/orders/events.ts';
import type { Counterpart } from '../ledger/tables.ts';
import { formatAmount } from '../platform/money.ts';

/** The one rendering of an order: two decimals, checksummed addresses, and in `meta` only what there is (docs/api.md, Order). */
export function orderBody(order: OrderFacts) {
  return {
    id: order.id,
    kind: order.kind,
    profile: order.profile,
    address: getAddress(order.address),
    chain: order.chain,
    currency: order.currency,
    amount: formatAmount(order.amount),
    counterpart: counterpartBody(order.counterpart),
    memo: order.memo,
    ...(order.reference_number === null ? {} : { referenceNumber: order.reference_number }),
    state: order.state,
    meta: {
      placedAt: order.placed_at.toISOString(),
      ...(order.processed_at === null ? {} : { processedAt: order.processed_at.toISOString() }),
      ...(order.rejected_reason === null ? {} : { rejectedReason: order.rejected_reason }),
      ...(order.supporting_document === null ? {} : { supportingDocumentId: order.supporting_document }),
      ...(order.tx_hashes.length === 0 ? {} : { txHashes: order.tx_hashes }),
    },
  };
}

export function counterpartBody({ identifier, details }: Counterpart): Counterpart {
  if (identifier.standard !== 'chain') return { identifier, details };
  return { identifier: { ...identifier, address: getAddress(identifier.address) }, details };
}
