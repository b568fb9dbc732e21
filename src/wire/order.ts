import { z } from '@hono/zod-openapi';
import { getAddress } from 'viem';
import type { OrderFacts } from '../ledger/orders/events.ts';
import type { Counterpart } from '../ledger/tables.ts';
import { formatAmount } from '../platform/money.ts';
import * as output from './output-fields.ts';

/** A counterpart as every answer shows it (docs/api.md, Counterpart). */
export const counterpartSchema = z
  .object({
    identifier: z.union([
      z.object({ standard: z.literal('iban'), iban: z.string().optional() }),
      z.object({ standard: z.literal('chain'), address: output.address, chain: output.chain }),
    ]),
    details: z.record(z.string(), z.unknown()),
  })
  .openapi('Counterpart');

/** An order as every answer shows it (docs/api.md, Order). */
export const orderSchema = z
  .object({
    id: output.uuid,
    kind: z.enum(['issue', 'redeem']),
    profile: output.uuid,
    address: output.address,
    chain: output.chain,
    currency: output.currency,
    amount: output.amount,
    counterpart: counterpartSchema,
    memo: z.string(),
    referenceNumber: z.string().optional(),
    state: z.enum(['placed', 'pending', 'processed', 'rejected']),
    meta: z.object({
      placedAt: output.time,
      processedAt: output.time.optional(),
      rejectedReason: z.string().optional(),
      supportingDocumentId: output.uuid.optional(),
      txHashes: z.array(z.string()).optional(),
    }),
  })
  .openapi('Order');

/** Renders an order for answers and events: two decimals, checksummed addresses, and in `meta` only what there is (docs/api.md, Order). */
export function orderBody(order: OrderFacts): z.infer<typeof orderSchema> {
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

/** Renders a counterpart, with a checksummed address. */
export function counterpartBody({ identifier, details }: Counterpart): z.infer<typeof counterpartSchema> {
  if (identifier.standard !== 'chain') return { identifier, details };
  return { identifier: { ...identifier, address: getAddress(identifier.address) }, details };
}
