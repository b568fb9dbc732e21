import type { Client } from 'pg';
import { ledgerFiles, readSchemaFile } from '../../src/schema/schema-files.ts';

/** A column, as the catalogue has it. */
export interface Column {
  name: string;
  type: string;
  isNullable: boolean;
  /** SQL; null without one. */
  default: string | null;
  /** What the database alone writes: `identity`, or the expression. */
  generated: string | null;
  /** The texts that a check of this column alone allows. */
  values: string[] | null;
}

/** A table of the ledger. */
export interface Table {
  name: string;
  /** Empty without one. */
  comment: string;
  isUnlogged: boolean;
  /** How it is partitioned, in SQL. */
  partitionedBy: string | null;
  options: string[] | null;
  columns: Column[];
  constraints: { name: string; definition: string }[];
  /** SQL of the indexes that no constraint has made. */
  indexes: string[];
  /** SQL. */
  triggers: string[];
  /** The tables that its foreign keys name. */
  refersTo: string[];
}

/** The tables of a database by name, and the SQL of its functions. Partitions of months are no part of it. */
export interface Schema {
  tables: ReadonlyMap<string, Table>;
  functions: string[];
  sequences: string[];
  /** SQL. */
  views: string[];
}

/** Reads the schema `ledger` of a database. */
export async function readSchema(client: Client): Promise<Schema> {
  // With an empty path names are written as they are in the files, but for those of the schema.
  await client.query('set search_path = ledger');
  const { rows } = await client.query<{ table: Table }>(tables);
  const functions = await client.query<{ definition: string }>(`
    select pg_get_functiondef(oid) as definition from pg_proc where pronamespace = 'ledger'::regnamespace order by proname`);
  const sequences = await client.query<{ name: string }>(`
    select relname as name from pg_class c where relkind = 'S' and relnamespace = 'ledger'::regnamespace
      and not exists (select from pg_depend where objid = c.oid and deptype = 'i') order by relname`);
  const views = await client.query<{ definition: string }>(`
    select format('CREATE VIEW %I AS%s%s', relname, chr(10), pg_get_viewdef(oid)) as definition
    from pg_class where relkind = 'v' and relnamespace = 'ledger'::regnamespace order by relname`);
  return {
    tables: new Map(
      rows.map(({ table }) => [
        table.name,
        { ...table, columns: table.columns.map((column) => ({ ...column, values: valuesOf(column, table) })) },
      ]),
    ),
    functions: functions.rows.map(({ definition }) => definition.replaceAll('ledger.', '').trim()),
    sequences: sequences.rows.map(({ name }) => name),
    views: views.rows.map(({ definition }) => definition.replaceAll('ledger.', '')),
  };
}

/** The names of the tables of each file of `src/schema/`, in their order. */
export function tablesByFile(): Map<string, string[]> {
  return new Map(
    ledgerFiles.names.map((file) => [
      file,
      [...readSchemaFile(ledgerFiles, file).matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(([, table = '']) => table),
    ]),
  );
}

/** What a file of `src/schema/` says of itself, in its first sentences. */
export function introductionOf(file: string): string {
  const [, lines = ''] = /^((?:-- .*\n)+)/.exec(readSchemaFile(ledgerFiles, file)) ?? [];
  return lines.replaceAll(/^-- /gm, '').replaceAll('\n', ' ').trim();
}

function valuesOf({ name }: Column, { constraints }: Table): string[] | null {
  const pattern = new RegExp(`^CHECK \\(\\(${name} = ANY \\(ARRAY\\[(.*)\\]\\)\\)\\)$`);
  for (const { definition } of constraints) {
    const [, list] = pattern.exec(definition) ?? [];
    if (list !== undefined) return [...list.matchAll(/'([^']*)'::text/g)].map(([, value = '']) => value);
  }
  return null;
}

const tables = `
  select jsonb_build_object(
    'name', c.relname,
    'comment', coalesce(regexp_replace(obj_description(c.oid, 'pg_class'), '\\n *', chr(10), 'g'), ''),
    'isUnlogged', c.relpersistence = 'u',
    'partitionedBy', case when c.relkind = 'p' then pg_get_partkeydef(c.oid) end,
    'options', c.reloptions,
    'columns', (
      select jsonb_agg(jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'isNullable', not a.attnotnull,
        'default', case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end,
        'generated', case when a.attidentity <> '' then 'identity' when a.attgenerated <> '' then pg_get_expr(d.adbin, d.adrelid) end)
        order by a.attnum)
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
    'constraints', coalesce((
      select jsonb_agg(jsonb_build_object('name', k.conname, 'definition', pg_get_constraintdef(k.oid)) order by k.contype <> 'p', k.conname)
      from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n'), '[]'),
    'indexes', coalesce((
      select jsonb_agg(pg_get_indexdef(i.indexrelid) order by i.indexrelid::regclass::text) from pg_index i
      where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'))), '[]'),
    'triggers', coalesce((
      select jsonb_agg(pg_get_triggerdef(t.oid) order by t.tgname) from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal), '[]'),
    'refersTo', coalesce((
      select jsonb_agg(distinct k.confrelid::regclass::text) from pg_constraint k where k.conrelid = c.oid and k.contype = 'f'), '[]')
  ) as table
  from pg_class c where c.relnamespace = 'ledger'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'migrations'
  order by c.relname`;
