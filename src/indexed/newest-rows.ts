import type { Chain } from '../platform/chains.ts';
import { viewsSchema } from './schema-names.ts';

/**
 * SQL: whether the indexed rows of a chain reach at least to what was settled from them. After a restart Ponder's newest rows are
 * missing for seconds, of which its own `is_ready` does not always tell: a sum without them would be wrong.
 */
export function hasNewestRows(chain: Chain): string {
  return `not exists (
    select from (
      select order_id::text as order_id, kind from legs
      where chain = '${chain}' and state = 'done' and block_number is not null order by block_number desc limit 1
    ) newest
    where not exists (select from "${viewsSchema(chain)}".outcome o where o.order_id = newest.order_id and o.kind = newest.kind))`;
}
