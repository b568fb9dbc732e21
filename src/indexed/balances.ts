import { type QueryExecutorProvider, sql } from 'kysely';
import type { LowerAddress } from '../platform/addresses.ts';
import { RetryError } from '../platform/errors.ts';
import { type Currency, type TokenUnits, tokenUnits } from '../platform/money.ts';
import { type Settings, networkSettings } from '../platform/settings.ts';
import { asChain, type Chain } from '../platform/chains.ts';
import { hasNewestRows, type NewestSettled } from './newest-rows.ts';
import { readOpeningBalance } from './opening-balance.ts';
import { readIndexed } from './read-indexed.ts';
import { viewsSchema } from './schema-names.ts';

/** What an address holds of each of the currencies that has a token on the chain. */
export type ReadBalances = (
  chain: Chain,
  address: LowerAddress,
  currencies: readonly Currency[],
) => Promise<Partial<Record<Currency, TokenUnits>>>;

/**
 * Reads balances from the indexed rows, never from a node; of a token that was in circulation before the index begins, the balance of then is read
 * from the source of the fork, which keeps it. Throws `indexer_not_ready` while rows are missing, and `upstream_unavailable`.
 */
export function createBalanceReader(database: QueryExecutorProvider, settings: Settings, newestSettled: NewestSettled): ReadBalances {
  return async (name, address, currencies) => {
    const chain = asChain(name);
    const network = networkSettings(settings, chain);
    const configured = network.tokens;
    const tokens = currencies.flatMap((currency) => (configured[currency] ? [[currency, configured[currency]] as const] : []));
    const query = sql<{ complete: boolean; token: string | null; amount: string }>`
      select ${hasNewestRows(chain, newestSettled)} as complete, b.token, b.amount
      from (select 1) as always left join ${sql.id(viewsSchema(chain))}.balance b
        on b.account = ${address} and b.token = any(${tokens.map(([, token]) => token)}::text[])`;
    const { rows = [] } = (await readIndexed(() => query.execute(database))) ?? {};
    if (rows[0]?.complete !== true) throw indexerNotReady(chain);
    const amounts = new Map(rows.flatMap((row) => (row.token === null ? [] : [[row.token, tokenUnits(BigInt(row.amount))] as const])));
    const balances = tokens.map(async ([currency, token]) => {
      const opening = await readOpeningBalance(network, currency, address);
      return [currency, tokenUnits(opening + (amounts.get(token) ?? 0n))] as const;
    });
    return Object.fromEntries(await Promise.all(balances));
  };
}

/** The error `indexer_not_ready`: rows that a balance is made of are missing. */
export function indexerNotReady(chain: Chain): RetryError {
  return new RetryError({ code: 'indexer_not_ready', message: `The indexer of ${chain} has no balances yet: try again shortly` });
}
