import type { Pool } from 'pg';
import { RetryError } from '../platform/errors.ts';
import { type Currency, type TokenUnits, tokenUnits } from '../platform/money.ts';
import { type Settings, networkSettings } from '../platform/settings.ts';
import { asChain, type Chain } from '../platform/chains.ts';
import { hasNewestRows } from './newest-rows.ts';
import { isMissingTable } from './progress.ts';
import { viewsSchema } from './schema-names.ts';

/** What an address holds, of each currency asked for that has a token on the chain. */
export type ReadBalances = (
  chain: Chain,
  address: string,
  currencies: readonly Currency[],
) => Promise<Partial<Record<Currency, TokenUnits>>>;

/** Reads balances from the indexed rows, never from a node. Throws `indexer_not_ready` while rows are missing. */
export function createBalanceReader(pool: Pool, settings: Settings): ReadBalances {
  return async (name, address, currencies) => {
    const chain = asChain(name);
    const tokens = networkSettings(settings, chain).tokens;
    const wanted = currencies.flatMap((currency) => (tokens[currency] ? [[currency, tokens[currency]] as const] : []));
    try {
      const { rows } = await pool.query<{ complete: boolean; token: string | null; amount: string }>(balancesQuery(chain), [
        address.toLowerCase(),
        wanted.map(([, token]) => token),
      ]);
      if (rows[0]?.complete !== true) throw notReady(chain);
      const amounts = new Map(rows.flatMap((row) => (row.token === null ? [] : [[row.token, tokenUnits(BigInt(row.amount))] as const])));
      return Object.fromEntries(wanted.map(([currency, token]) => [currency, amounts.get(token) ?? tokenUnits(0n)]));
    } catch (error) {
      if (!isMissingTable(error)) throw error;
      throw notReady(chain, error);
    }
  };
}

function balancesQuery(chain: Chain): string {
  return `select ${hasNewestRows(chain)} as complete, b.token, b.amount
    from (select 1) as always left join "${viewsSchema(chain)}".balance b on b.account = $1 and b.token = any($2::text[])`;
}

function notReady(chain: Chain, cause?: unknown): RetryError {
  return new RetryError({ code: 'indexer_not_ready', message: `The indexer of ${chain} has no balances yet: try again shortly`, cause });
}
