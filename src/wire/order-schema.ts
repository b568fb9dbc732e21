import { z } from '@hono/zod-openapi';
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

/** An order as every answer shows it (docs/api.md, Order). */
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
