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
    ...(order.referenceNumber === null ? {} : { referenceNumber: order.referenceNumber }),
    state: order.state,
    meta: {
      placedAt: order.placedAt.toISOString(),
      ...(order.processedAt === null ? {} : { processedAt: order.processedAt.toISOString() }),
      ...(order.rejectedReason === null ? {} : { rejectedReason: order.rejectedReason }),
      ...(order.supportingDocument === null ? {} : { supportingDocumentId: order.supportingDocument }),
      ...(order.txHashes.length === 0 ? {} : { txHashes: order.txHashes }),
    },
  };
}

export function counterpartBody({ identifier, details }: Counterpart) {
  if (identifier.standard !== 'chain') return { identifier, details };
  return { identifier: { ...identifier, address: getAddress(identifier.address) }, details };
}
