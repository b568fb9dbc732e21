import { sql } from 'kysely';
import { type Chain, chainIds } from '../platform/chains.ts';
import type { TablesOwner } from './reader-role.ts';

/**
 * Deletes what Ponder keeps of the answers of a network's endpoints, so that the next Ponder which reads the past asks the endpoints. Those of other networks stay.
 * A Ponder of the network may write meanwhile: it adds rows and then, in the same transaction, the blocks of which they are all. These are deleted last, so that
 * no block stays for known without its rows.
 */
export async function forgetAnswers(database: TablesOwner, chain: Chain): Promise<void> {
  const chainId = sql.lit(chainIds[chain]);
  await sql`
    do $$
      declare rows_table text;
      begin
        for rows_table in
          select table_name from information_schema.columns
          where table_schema = 'ponder_sync' and column_name = 'chain_id' and table_name <> 'intervals'
        loop
          execute format('delete from ponder_sync.%I where chain_id = %s', rows_table, ${chainId});
        end loop;
        if to_regclass('ponder_sync.intervals') is not null then
          lock table ponder_sync.intervals in share row exclusive mode;
          delete from ponder_sync.intervals where chain_id = ${chainId};
        end if;
      end
    $$`.execute(database);
}
