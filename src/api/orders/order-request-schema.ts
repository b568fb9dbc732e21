import { z } from '@hono/zod-openapi';
import { documentThreshold } from '../../ledger/orders/redemption-rules.ts';
import type { Chain } from '../../platform/chains.ts';
import { currencySchema, formatAmount } from '../../platform/money.ts';
import type { Settings } from '../../platform/settings.ts';
import { counterpartRequest } from './counterpart-request-schema.ts';
import * as input from '../../wire/input-fields.ts';

/** An order request that keeps every rule for which no database is needed. */
export type OrderRequest = z.infer<ReturnType<typeof orderRequest>>;

const zeroAddress = `0x${'0'.repeat(40)}`;

/** The body of `POST /orders` (docs/api.md, Placing an order). */
export function orderRequest(settings: Settings) {
  return z
    .object({
      id: input.uuid
        .optional()
        .openapi({ description: 'the same id with the same body is the same order; with another body it is refused' }),
      kind: z.literal('redeem'),
      address: input.address,
      chain: input.chain(settings),
      currency: currencySchema,
      amount: input.amount,
      counterpart: counterpartRequest(settings),
      message: input.text(1_000).openapi({ example: 'Send EUR 10.50 to DE89370400440532013000 at 2026-11-20T16:03:54Z' }),
      signature: input.signature,
      memo: input.characters(5, 140).optional(),
      referenceNumber: input.characters(0, 35).optional().openapi({ description: 'goes to the bank instead of the memo' }),
      supportingDocumentId: input.uuid.optional().openapi({ description: `a file; required from ${formatAmount(documentThreshold)} on` }),
    })
    .superRefine((order, context) => {
      for (const [path, message] of problems(order, settings)) context.addIssue({ code: 'custom', path: path.split('.'), message });
    })
    .openapi('OrderRequest');
}

type Given = Pick<OrderRequest, 'address' | 'chain' | 'currency' | 'amount' | 'counterpart' | 'supportingDocumentId'>;

/** What the fields say against each other, or against what this deployment has. */
function* problems(order: Given, { networks }: Settings): Generator<[string, string]> {
  const { currency, amount, supportingDocumentId } = order;
  const tokenOn = (chain: Chain): string | undefined => networks[chain]?.tokens[currency];
  if (tokenOn(order.chain) === undefined) yield ['currency', `has no token on ${order.chain}`];
  if (amount >= documentThreshold && supportingDocumentId === undefined)
    yield ['supportingDocumentId', `is required from ${formatAmount(documentThreshold)} on`];
  const to = order.counterpart.identifier;
  if (to.standard !== 'chain') return;
  if (tokenOn(to.chain) === undefined) yield ['counterpart.identifier.chain', `has no token of ${currency}`];
  if (to.chain === order.chain && to.address === order.address)
    yield ['counterpart.identifier.address', "must differ from the order's own address on the same chain"];
  // The token contract issues to neither (EMoneyToken.sol, IssueRefusal.InvalidAccount).
  if (to.address === zeroAddress || to.address === tokenOn(to.chain)) yield ['counterpart.identifier.address', 'cannot hold tokens'];
}
