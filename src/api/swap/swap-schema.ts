import { z } from '@hono/zod-openapi';
import { formatUnits } from 'viem';
import { parseTokenUnits } from '../../platform/money.ts';
import { formatFraction, formatTokenUnits } from '../orders/balances.ts';
import type { Price } from '../../swap/price.ts';
import * as input from '../../wire/input-fields.ts';
import * as output from '../../wire/output-fields.ts';
import { swapChainId } from '../swap-maker.ts';

/** A positive decimal with as many places as a token has, in token units. */
const amountSchema = z
  .string()
  .transform((value, context) => {
    const units = parseTokenUnits(value);
    if (units !== undefined && units > 0n) return units;
    context.addIssue({
      code: 'custom',
      message: units === 0n ? 'must be greater than zero' : 'must be digits with at most 18 decimals, such as 10.50',
    });
    return z.NEVER;
  })
  .openapi({ type: 'string', pattern: '^\\d+(\\.\\d{1,18})?$' });

const swapSchema = z.object({
  takerToken: input.address.openapi({ description: 'the token contract of what the taker pays' }),
  makerToken: input.address.openapi({ description: 'the token contract of what the taker receives' }),
  takerAmount: amountSchema.optional().openapi({ description: 'the exact amount to pay' }),
  makerAmount: amountSchema.optional().openapi({ description: 'the exact amount to receive' }),
});

const oneAmount = 'exactly one of takerAmount and makerAmount is required';

function requireOneAmount({ takerAmount, makerAmount }: z.infer<typeof swapSchema>, context: z.RefinementCtx): void {
  if ((takerAmount === undefined) !== (makerAmount === undefined)) return;
  for (const field of ['takerAmount', 'makerAmount']) context.addIssue({ code: 'custom', path: [field], message: oneAmount });
}

/** Body of `POST /swap` (docs/api.md, Swap). */
export const swapRequestSchema = swapSchema.superRefine(requireOneAmount).openapi('SwapRequest');
/** A valid request for a quote. */
export type SwapRequest = z.infer<typeof swapRequestSchema>;

/** Body of `POST /swap/commit` (docs/api.md, Swap). */
export const commitRequestSchema = swapSchema
  .extend({
    chainId: z.literal(swapChainId, `must be ${swapChainId}, the only chain with swaps`),
    taker: input.address.openapi({ description: 'a linked address of the caller that carries out the swap' }),
  })
  .superRefine(requireOneAmount)
  .openapi('SwapCommitRequest');

const decimal = z.string().regex(/^\d+\.\d{2,18}$/);

export const swapQuoteSchema = z
  .object({
    takerToken: output.address,
    makerToken: output.address,
    takerAmount: decimal,
    makerAmount: decimal,
    price: decimal.openapi({ description: 'maker amount divided by taker amount' }),
    priceImpact: z
      .string()
      .regex(/^\d+\.\d{4}$/)
      .openapi({ description: 'percent by which the size of the swap lowers the price' }),
    takerAmountUsd: decimal.openapi({ description: 'estimated value in US dollars' }),
    makerAmountUsd: decimal.openapi({ description: 'estimated value in US dollars' }),
  })
  .openapi('SwapQuote');

export const committedQuoteSchema = swapQuoteSchema
  .extend({
    id: output.uuid,
    chainId: z.int(),
    nonce: z.int(),
    expiry: z.int().openapi({ description: 'last second, in Unix time, in which the quote can be carried out' }),
    signature: z.string().regex(/^0x[0-9a-f]{130}$/),
  })
  .openapi('SwapCommittedQuote');

/** Estimates in dollars are shown with six places. */
const shownUsd = 10n ** 12n;

/** Amounts and prices of a quote as answers show them. */
export function priceBody({ takerAmount, makerAmount, price, impact, takerUsd, makerUsd }: Price) {
  return {
    takerAmount: formatTokenUnits(takerAmount),
    makerAmount: formatTokenUnits(makerAmount),
    price: formatFraction(price),
    priceImpact: fourPlaces(impact),
    takerAmountUsd: formatFraction(takerUsd - (takerUsd % shownUsd)),
    makerAmountUsd: formatFraction(makerUsd - (makerUsd % shownUsd)),
  };
}

/** Millionths as a percentage with four places. */
function fourPlaces(millionths: bigint): string {
  const [integer = '0', fraction = ''] = formatUnits(millionths, 4).split('.');
  return `${integer}.${fraction.padEnd(4, '0')}`;
}
