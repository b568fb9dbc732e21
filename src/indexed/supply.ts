import { type RawBuilder, sql } from 'kysely';
import type { Chain } from '../platform/chains.ts';
import { viewsSchema } from './schema-names.ts';

/** SQL of a relation: the tokens in circulation on a chain. Its columns are `chain`, `token` and `amount` (token units, numeric). */
export function indexedSupply(chain: Chain): RawBuilder<unknown> {
  return sql`(select ${chain}::text as chain, token, amount from ${sql.id(viewsSchema(chain))}.supply)`;
}

/** SQL of a value: the tokens in circulation after a block that is indexed (token units, numeric). Costs a look at the outcomes of the blocks since. */
export function indexedSupplyAt(chain: Chain, token: RawBuilder<unknown>, block: RawBuilder<unknown>): RawBuilder<string> {
  const schema = sql.id(viewsSchema(chain));
  return sql<string>`(
    coalesce((select s.amount from ${schema}.supply s where s.token = ${token}), 0)
    - coalesce((
      select sum(case o.kind when 'issue' then o.amount else -o.amount end) from ${schema}.outcome o
      where o.block_number > ${block} and o.token = ${token} and o.refused is null), 0))`;
}
