import type { Pool } from 'pg';
import { RetryError } from '../platform/errors.ts';
import type { Currency } from '../platform/money.ts';
import { type Settings, networkSettings } from '../platform/settings.ts';
import { asChain } from '../platform/chains.ts';
import { isMissingTable } from './progress.ts';
import { viewsSchema } from './schema-names.ts';

/** Raw token units that an address holds, of each currency asked for that has a token on the chain. */
export type ReadBalances = (chain: string, address: string, currencies: readonly Currency[]) => Promise<Partial<Record<Currency, bigint>>>;

/** Reads balances from the indexed rows, never from a node. Throws `indexer_not_ready` while there are no rows to read. */
export function createBalanceReader(pool: Pool, settings: Settings): ReadBalances {
  return async (name, address, currencies) => {
    const chain = asChain(name);
    const tokens = networkSettings(settings, chain).TOKENS;
    const wanted = currencies.flatMap((currency) => (tokens[currency] ? [[currency, tokens[currency]] as const] : []));
    try {
      const { rows } = await pool.query<{ token: string; amount: string }>(
        `select token, amount from "${viewsSchema(chain)}".balance where account = $1 and token = any($2)`,
        [address.toLowerCase(), wanted.map(([, token]) => token)],
      );
      const amounts = new Map(rows.map((row) => [row.token, BigInt(row.amount)]));
      return Object.fromEntries(wanted.map(([currency, token]) => [currency, amounts.get(token) ?? 0n]));
    } catch (error) {
      if (!isMissingTable(error)) throw error;
      throw new RetryError({
        code: 'indexer_not_ready',
        message: `The indexer of ${chain} has no balances yet: try again shortly`,
        cause: error,
      });
    }
  };
}
