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
  .openapi({
    type: 'string',
    pattern: '^\\d+(\\.\\d{1,18})?$',
    description: 'An amount in units of the currency, greater than zero: a decimal string with at most 18 decimals.',
  });

const swapSchema = z.object({
  takerToken: input.address.openapi({ description: 'The token contract of what the taker pays.' }),
  makerToken: input.address.openapi({ description: 'The token contract of what the taker receives.' }),
  takerAmount: amountSchema
    .optional()
    .openapi({ description: 'The exact amount to pay, with at most 18 decimals. Either this or `makerAmount`.' }),
  makerAmount: amountSchema
    .optional()
    .openapi({ description: 'The exact amount to receive, with at most 18 decimals. Either this or `takerAmount`.' }),
});

const oneAmount = 'exactly one of takerAmount and makerAmount is required';

function requireOneAmount({ takerAmount, makerAmount }: z.infer<typeof swapSchema>, context: z.RefinementCtx): void {
  if ((takerAmount === undefined) !== (makerAmount === undefined)) return;
  for (const field of ['takerAmount', 'makerAmount']) context.addIssue({ code: 'custom', path: [field], message: oneAmount });
}

/** Body of `POST /swap` (docs/api.md, Swap). */
export const swapRequestSchema = swapSchema
  .superRefine(requireOneAmount)
  .openapi('SwapRequest', { description: 'What to swap: two tokens and one of the two amounts.' });
/** A valid request for a quote. */
export type SwapRequest = z.infer<typeof swapRequestSchema>;

/** Body of `POST /swap/commit` (docs/api.md, Swap). */
export const commitRequestSchema = swapSchema
  .extend({
    chainId: z
      .literal(swapChainId, `must be ${swapChainId}, the only chain with swaps`)
      .openapi({ description: 'EIP-155 id of the chain.' }),
    taker: input.address.openapi({ description: 'A linked address of an approved profile of the caller, which carries out the swap.' }),
  })
  .superRefine(requireOneAmount)
  .openapi('SwapCommitRequest', { description: 'What to swap, on which chain, and for whom.' });

const decimal = z
  .string()
  .regex(/^\d+\.\d{2,18}$/)
  .openapi({ description: 'A decimal string with 2 to 18 decimals.' });

export const swapQuoteSchema = z
  .object({
    takerToken: output.address.openapi({ description: 'The token contract of what the taker pays.' }),
    makerToken: output.address.openapi({ description: 'The token contract of what the taker receives.' }),
    takerAmount: decimal.openapi({ description: 'What the taker pays, in units of its currency.' }),
    makerAmount: decimal.openapi({ description: 'What the taker receives, in units of its currency.' }),
    price: decimal.openapi({ description: 'Maker amount divided by taker amount.' }),
    priceImpact: z
      .string()
      .regex(/^\d+\.\d{4}$/)
      .openapi({ description: 'Percent by which the size of the swap lowers the price.' }),
    takerAmountUsd: decimal.openapi({ description: 'Estimated value of what the taker pays, in US dollars.' }),
    makerAmountUsd: decimal.openapi({ description: 'Estimated value of what the taker receives, in US dollars.' }),
  })
  .openapi('SwapQuote', { description: 'The price of a swap at this moment.' });

export const committedQuoteSchema = swapQuoteSchema
  .extend({
    id: output.uuid.openapi({ description: 'Id of the quote. The contract takes it as 16 bytes, `quoteId`.' }),
    chainId: z.int().openapi({ description: 'EIP-155 id of the chain.' }),
    nonce: z.int().openapi({ description: 'The number of the quote among those of the maker. The contract takes each once.' }),
    expiry: z.int().openapi({ description: 'The last second, in Unix time, in which the quote can be carried out.' }),
    signature: z
      .string()
      .regex(/^0x[0-9a-f]{130}$/)
      .openapi({ description: 'The EIP-712 signature of the maker.' }),
  })
  .openapi('SwapCommittedQuote', { description: 'A quote that the maker has signed.' });

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
