import { createRoute, z } from '@hono/zod-openapi';
import { formatUnits, getAddress } from 'viem';
import { findAddress } from '../../ledger/customers/addresses.ts';
import { currencies, tokenDecimals, type TokenUnits, tokenUnits } from '../../platform/money.ts';
import type { AddRoutes } from '../api.ts';
import { query } from '../http/query.ts';
import { notAllowed } from '../http/errors.ts';
import { json, errorResponses, bearerAccess } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';
import * as output from '../../wire/output-fields.ts';

const balanceSchema = z
  .object({
    address: output.address,
    chain: output.chain,
    balances: z
      .array(
        z.object({
          currency: output.currency,
          amount: z
            .string()
            .regex(/^\d+\.\d{2,18}$/)
            .openapi({ description: 'Tokens in units of the currency: an exact decimal string with 2 to 18 decimals.' }),
        }),
      )
      .openapi({ description: 'One balance for each requested currency.' }),
  })
  .openapi('Balance', { description: 'The tokens of an address on a chain.' });

/** `GET /balances/{chain}/{address}` (docs/api.md, Balances): reads indexed balances, never a node. */
export const addBalances: AddRoutes = (api, { settings, ledger, readBalances }, guards) => {
  const route = createRoute({
    method: 'get',
    path: '/balances/{chain}/{address}',
    ...bearerAccess('Balances'),
    operationId: 'readBalances',
    summary: 'Read the balances of an address',
    description:
      'The tokens that a linked address of the caller holds on a chain. They are read from the index of the chain, which follows it by seconds; until the index has caught up, the ' +
      'answer is 503. For another address the answer is 403.',
    middleware: guards.caller,
    request: {
      params: z.object({ chain: input.chain(settings), address: input.address }),
      query: query(z.object({ currency: input.repeatable(currencies, 'The currency whose balance is read; `eur` without it.') })),
    },
    responses: { 200: json(balanceSchema, 'The balances.'), ...errorResponses(401, 403, 406, 'indexer_not_ready') },
  });
  api.openapi(route, async (context) => {
    const { chain, address } = context.req.valid('param');
    const requested = [...new Set(context.req.valid('query').currency ?? (['eur'] as const))];
    if (!(await findAddress(ledger, context.var.caller, address, chain)))
      throw notAllowed(`The address is not linked to a profile of the caller on ${chain}`);
    const units = await readBalances(chain, address, requested);
    const balances = requested.map((currency) => ({ currency, amount: formatTokenUnits(units[currency] ?? tokenUnits(0n)) }));
    return context.json({ address: getAddress(address), chain, balances }, 200);
  });
};

/** Exact decimal text of token units with at least two decimals: an address may hold fractions of a cent. */
export function formatTokenUnits(units: TokenUnits): string {
  return formatFraction(units);
}

/** Exact decimal text, with at least two decimals, of a number in units of 10^-18, such as a price. */
export function formatFraction(value: bigint): string {
  const [integer = '0', fraction = ''] = formatUnits(value, tokenDecimals).split('.');
  return `${integer}.${fraction.padEnd(2, '0')}`;
}
