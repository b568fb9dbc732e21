import { z } from '@hono/zod-openapi';
import { getAddress } from 'viem';
import { holdText, type OrderFacts } from '../ledger/orders/events.ts';
import type { Counterpart } from '../schema/column-types.ts';
import { formatAmount } from '../platform/money.ts';
import * as output from './output-fields.ts';

/** A counterpart as every answer shows it (docs/api.md, Counterpart). */
export const counterpartSchema = z
  .object({
    identifier: z
      .discriminatedUnion('standard', [
        z
          .object({
            standard: z.literal('iban').openapi({ description: 'It is a bank account.' }),
            iban: z.string().openapi({ description: 'The IBAN of the account, without spaces.' }),
          })
          .openapi('IbanIdentifier', { description: 'A bank account with an IBAN.' }),
        z
          .object({
            standard: z
              .literal('account')
              .openapi({ description: 'It is a bank account of a payer for which the bank reported no valid IBAN.' }),
            accountNumber: z.string().optional().openapi({
              description: 'The number of the account, as the bank reported it. It may also be an IBAN with wrong check digits.',
            }),
            bic: z.string().optional().openapi({ description: 'The BIC of the bank that keeps the account.' }),
            clearingSystem: z.string().optional().openapi({
              description: 'The clearing system of that bank, such as `GBDSC` for sort codes or `USABA` for routing numbers (ISO 20022).',
            }),
            clearingCode: z.string().optional().openapi({ description: 'The number of that bank in the clearing system.' }),
          })
          .openapi('AccountIdentifier', { description: 'A bank account without a valid IBAN.' }),
        z
          .object({
            standard: z.literal('chain').openapi({ description: 'It is an address on a chain.' }),
            address: output.address,
            chain: output.chain,
          })
          .openapi('ChainIdentifier', { description: 'An address on a chain.' }),
      ])
      .openapi('CounterpartIdentifier', { description: 'The bank account or the address.' }),
    details: z
      .record(z.string(), z.unknown())
      .openapi({ description: 'Who it is: names and country, as they were sent or as the bank reported them.' }),
  })
  .openapi('Counterpart', { description: 'The payee of a redemption, or the payer of an issue.' });

/** An order as every answer shows it (docs/api.md, Order). */
export const orderSchema = z
  .object({
    id: output.uuid.openapi({ description: 'Id of the order.' }),
    kind: z.enum(['issue', 'redeem']).openapi({
      description:
        '`issue`: money that arrived becomes tokens. `redeem`: tokens are burned and paid out to a bank account or on another chain.',
    }),
    profile: output.profile,
    address: output.address.openapi({ description: 'The address whose tokens are issued or burned, in EIP-55 checksum form.' }),
    chain: output.chain.openapi({ description: 'The chain on which they are issued or burned.' }),
    currency: output.currency,
    amount: output.amount,
    counterpart: counterpartSchema,
    memo: z.string().openapi({ description: 'The remittance text of the payment.' }),
    referenceNumber: z.string().optional().openapi({ description: 'The structured reference of the payment, if there is one.' }),
    state: z.enum(['placed', 'pending', 'processed', 'rejected']).openapi({
      description:
        '`placed`: accepted, nothing has been sent yet. `pending`: a transaction or a payment is under way. `processed`: done; final. `rejected`: not done, and every token or ' +
        'cent that moved was given back; final.',
    }),
    meta: z
      .object({
        placedAt: output.time.openapi({ description: 'When the order was placed (UTC).' }),
        processedAt: output.time.optional().openapi({ description: 'When it was processed (UTC).' }),
        rejectedReason: z.string().optional().openapi({ description: 'Why it was rejected, for people.' }),
        givesBack: output.uuid.optional().openapi({
          description: 'Id of the order whose payout the bank returned after it had carried it out. This order gives its tokens back.',
        }),
        heldUntil: output.time.optional().openapi({
          description: 'While a part of the order is held back: until when it waits (UTC), which may be put off. `heldReason` says why.',
        }),
        heldReason: z.string().optional().openapi({ description: 'Why it is held back, for people.' }),
        supportingDocumentId: output.uuid.optional().openapi({ description: 'Id of the file that supports it.' }),
        txHashes: z
          .array(output.txHash)
          .optional()
          .openapi({ description: 'Its transactions: that which burned or issued; across chains the burning and the issuing one.' }),
      })
      .openapi({ description: 'What became of the order. What is not known yet is left out.' }),
  })
  .openapi('Order', { description: 'What a customer gets done: an `issue` or a `redeem`.' });

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
      ...(order.givesBack === null ? {} : { givesBack: order.givesBack }),
      ...(order.heldUntil === null ? {} : { heldUntil: order.heldUntil.toISOString(), heldReason: holdText(order.heldFor) }),
      ...(order.supportingDocument === null ? {} : { supportingDocumentId: order.supportingDocument }),
      ...(order.txHashes.length === 0 ? {} : { txHashes: order.txHashes }),
    },
  };
}

/** Renders a counterpart, with a checksummed address. A bank account without an IBAN is an `account`, also in what was stored before. */
export function counterpartBody({ identifier, details }: Counterpart): z.infer<typeof counterpartSchema> {
  if (identifier.standard === 'account') return { identifier, details };
  if (identifier.standard === 'chain') return { identifier: { ...identifier, address: getAddress(identifier.address) }, details };
  const { iban } = identifier;
  return { identifier: iban === undefined ? { standard: 'account' } : { standard: 'iban', iban }, details };
}
