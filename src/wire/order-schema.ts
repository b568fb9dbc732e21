import { z } from '@hono/zod-openapi';
import * as output from './output-fields.ts';

export const counterpart = z
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
    counterpart,
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
