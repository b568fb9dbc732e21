import { z } from '@hono/zod-openapi';
import { getAddress } from 'viem';
import type { Order } from '../ledger/orders.ts';
import type { Counterpart } from '../ledger/tables.ts';
import { formatAmount } from '../platform/money.ts';
import { addressOut, amountOut, chainOut, currencyOut, timeOut, uuidOut } from './schemas.ts';

export const counterpart = z
  .object({
    identifier: z.union([
      z.object({ standard: z.literal('iban'), iban: z.string().optional() }),
      z.object({ standard: z.literal('chain'), address: addressOut, chain: chainOut }),
    ]),
    details: z.record(z.string(), z.unknown()),
  })
  .openapi('Counterpart');

/** An order as every answer shows it (specification, Order). */
export const orderSchema = z
  .object({
    id: uuidOut,
    kind: z.enum(['issue', 'redeem']),
    profile: uuidOut,
    address: addressOut,
    chain: chainOut,
    currency: currencyOut,
    amount: amountOut,
    counterpart,
    memo: z.string(),
    referenceNumber: z.string().optional(),
    state: z.enum(['placed', 'pending', 'processed', 'rejected']),
    meta: z.object({
      placedAt: timeOut,
      processedAt: timeOut.optional(),
      rejectedReason: z.string().optional(),
      supportingDocumentId: uuidOut.optional(),
      txHashes: z.array(z.string()).optional(),
    }),
  })
  .openapi('Order');

/** The one rendering of an order: two decimals, checksummed addresses, and in `meta` only what there is (wire facts, Orders). */
export function orderBody(order: Order): z.infer<typeof orderSchema> {
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
