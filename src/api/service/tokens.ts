import { createRoute, z } from '@hono/zod-openapi';
import { getAddress } from 'viem';
import { currencies, tokenDecimals, tokenSymbol } from '../../platform/money.ts';
import type { Settings } from '../../platform/settings.ts';
import type { AddRoutes } from '../api.ts';
import { json, errorResponses } from '../http/responses.ts';
import * as output from '../../wire/output-fields.ts';

const token = z
  .object({
    currency: output.currency,
    ticker: z.enum(['EUR', 'GBP', 'USD', 'ISK']),
    symbol: z.enum(['EURe', 'GBPe', 'USDe', 'ISKe']),
    chain: output.chain,
    address: output.address,
    decimals: z.int(),
  })
  .openapi('Token');

/** `GET /tokens` (docs/api.md, Tokens); it needs no bearer token, because some clients send none. */
export const addTokens: AddRoutes = (api, { settings }, guards) => {
  const route = createRoute({
    method: 'get',
    path: '/tokens',
    tags: ['Tokens'],
    summary: 'List the token contracts, one per currency and chain',
    middleware: guards.anyone,
    responses: { 200: json(z.array(token), 'The tokens'), ...errorResponses(406) },
  });
  const tokens = listTokens(settings);
  api.openapi(route, (context) => context.json(tokens, 200));
};

function listTokens({ networks }: Settings): z.infer<typeof token>[] {
  return Object.values(networks).flatMap(({ chain, tokens }) =>
    currencies.flatMap((currency) => {
      const contract = tokens[currency];
      if (contract === undefined) return [];
      const ticker = currency.toUpperCase() as Uppercase<typeof currency>;
      return [{ currency, ticker, symbol: tokenSymbol(currency), chain, address: getAddress(contract), decimals: tokenDecimals }];
    }),
  );
}
