import { ledgerSchema } from '../../src/platform/database.ts';
import type { FuzzWorld } from './fuzz-world.ts';

/**
 * A hash over every row that names one of those who send no requests, by an id in a column of type uuid or by their address or IBAN. A row that was
 * changed, deleted or added changes it.
 */
export async function hashOfBystanders({ api, bystanders }: FuzzWorld): Promise<Record<string, string>> {
  const uuids = bystanders.flatMap(({ own, user }) => [own.profile, own.order, own.file, own.subscription, own.delivery, user]);
  const texts = bystanders.flatMap(({ own }) => [own.wallet.address.toLowerCase(), own.iban]);
  const columns = await api.pool.query<{ table: string; column: string; isUuid: boolean }>(
    `select c.table_name as table, c.column_name as column, c.data_type = 'uuid' as "isUuid"
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = $1 and t.table_type = 'BASE TABLE'
       and (c.data_type = 'uuid' or c.column_name in ('address', 'account', 'iban', 'subject'))`,
    [ledgerSchema],
  );
  const byTable = Map.groupBy(columns.rows, ({ table }) => table);
  const hashes: Record<string, string> = {};
  for (const [table, named] of byTable) {
    const where = named
      .map(({ column, isUuid }) => (isUuid ? `"${column}" = any($1::uuid[])` : `"${column}"::text = any($2)`))
      .join(' or ');
    const { rows } = await api.pool.query<{ hash: string; count: string }>(
      `select count(*), coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as hash
       from "${table}" t where ($1::uuid[] is not null and $2::text[] is not null) and (${where})`,
      [uuids, texts],
    );
    hashes[table] = `${rows[0]?.count} rows, ${rows[0]?.hash}`;
  }
  return hashes;
}
