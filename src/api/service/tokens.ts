import { createRoute, z } from '@hono/zod-openapi';
import { getAddress } from 'viem';
import { currencies, tokenDecimals, tokenSymbol } from '../../platform/money.ts';
import type { Settings } from '../../platform/settings.ts';
import type { AddRoutes } from '../api.ts';
import { json, errorResponses, openAccess } from '../http/responses.ts';
import * as output from '../../wire/output-fields.ts';

const token = z
  .object({
    currency: output.currency,
    ticker: z.enum(['EUR', 'GBP', 'USD', 'ISK']).openapi({ description: 'The currency in capitals (ISO 4217).' }),
    symbol: z.enum(['EURe', 'GBPe', 'USDe', 'ISKe']).openapi({ description: 'The symbol of the token contract.' }),
    chain: output.chain,
    address: output.address.openapi({ description: 'The address of the token contract, in EIP-55 checksum form.' }),
    decimals: z.int().openapi({ description: 'Decimals of the token contract, always 18: it counts in units of 10⁻¹⁸.' }),
  })
  .openapi('Token', { description: 'The token contract of a currency on a chain.' });

/** `GET /tokens` (docs/api.md, Tokens); it needs no bearer token, because some clients send none. */
export const addTokens: AddRoutes = (api, { settings }, guards) => {
  const route = createRoute({
    method: 'get',
    path: '/tokens',
    ...openAccess('Tokens'),
    operationId: 'listTokens',
    summary: 'List the token contracts',
    description:
      'The token contract of every currency on every chain that is configured here. It needs no bearer token. Payments go to these contracts, so take their addresses ' +
      'from here and from nowhere else. `signatureGas()` of a contract says how much gas a contract account may spend to confirm a signature: 500,000, and 190,000 on Linea, ' +
      'unless the operator set another amount.',
    middleware: guards.anyone,
    responses: { 200: json(z.array(token), 'The token contracts, by chain.'), ...errorResponses(406) },
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
