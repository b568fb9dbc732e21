import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { tableInterfaces } from '../support/typed-tables.ts';

/** The columns of each table as the types name them, with a `?` where they may be null. */
function typedTables(body: string): Map<string, string[]> {
  const tables = new Map<string, string[]>();
  for (const [, name, columns] of body.matchAll(/^ {2}(\w+): \{([\s\S]*?)\n? {0,2}\};$/gm)) {
    // Types of their own, such as `Json<{ name?: string }>`, hold names that are no columns.
    const flat = (columns ?? '').replaceAll(/<[^<>]*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>[^<>]*)*>/g, (type) =>
      type.includes('null') ? '<null>' : '',
    );
    const found = flat.split(/;|\n/).flatMap((line) => {
      const [, column, type = ''] = /^\s*(\w+): (.*)$/.exec(line) ?? [];
      return column ? [`${column}${/null|NullableTime/.test(type) ? '?' : ''}`] : [];
    });
    tables.set(name as string, found.sort());
  }
  return tables;
}

const body = tableInterfaces();

const camelCase = (name: string) => name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

describe('the types of the tables', () => {
  it('name the columns that the migrations make, and which of them may be null', async () => {
    const database = await createTestDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ table_name: string; columns: string[] }>(`
      select table_name, array_agg(column_name || case is_nullable when 'YES' then '?' else '' end order by column_name collate "C") as columns
      from information_schema.columns
      where table_schema = 'ledger' and table_name not like 'kysely%'
        and not (select relispartition from pg_class where oid = format('%I.%I', table_schema, table_name)::regclass)
      group by table_name`);
    await client.end();
    await database.drop();
    const made = Object.fromEntries(rows.map((row) => [camelCase(row.table_name), row.columns.map(camelCase).sort()]));
    const typed = typedTables(body);
    expect(Object.fromEntries(Object.entries(made).filter(([name]) => typed.has(name)))).toEqual(Object.fromEntries(typed));
    const named = [...body.matchAll(/^ {2}(\w+): /gm)].map(([, name]) => name as string);
    expect(named.sort()).toEqual(Object.keys(made).sort());
  });
});
