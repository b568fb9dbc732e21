import { fingerprintOf, ledgerFiles } from '../../src/schema/schema-files.ts';
import { type Column, type Schema, type Table, tablesByFile } from './read-schema.ts';

/** The schema as PostgreSQL has understood it, in SQL: what a review compares. No database is made of it. */
export function schemaSql({ tables, functions, sequences, views }: Schema): string {
  const files = [...tablesByFile()].flatMap(([file, names]) => {
    const statements = names.flatMap((name) => tables.get(name) ?? []).map(tableSql);
    return statements.length === 0 ? [] : [`-- ${file}.sql`].concat(statements);
  });
  const head = `-- The schema as PostgreSQL has understood src/schema/, by \`npm run schema\`: a review sees here what a change of it does.
-- Fingerprint: ${fingerprintOf(ledgerFiles)}`;
  return `${[head, ...sequences.map((name) => `CREATE SEQUENCE ${name};`), ...files, '-- views', ...views, '-- functions', ...functions.map((text) => `${text};`)].join('\n\n')}\n`;
}

function tableSql(table: Table): string {
  const { name, columns, constraints, indexes, triggers } = table;
  const lines = [...columns.map(columnSql), ...constraints.map((one) => `CONSTRAINT ${one.name} ${one.definition}`)];
  const statements = [...indexes, ...triggers].map((statement) => `${statement.replaceAll('ledger.', '')};`);
  const create = `CREATE ${table.isUnlogged ? 'UNLOGGED ' : ''}TABLE ${name} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n)`;
  return [`${create}${tailOf(table)};`, ...statements].join('\n');
}

function columnSql({ name, type, isNullable, default: value, generated }: Column): string {
  const written =
    generated === 'identity'
      ? 'GENERATED ALWAYS AS IDENTITY'
      : generated === null
        ? ''
        : `GENERATED ALWAYS AS (${generated.replaceAll(/\s+/g, ' ')})`;
  return [name, type, isNullable ? '' : 'NOT NULL', value === null ? '' : `DEFAULT ${value}`, written]
    .filter((part) => part !== '')
    .join(' ');
}

function tailOf({ partitionedBy, options }: Table): string {
  if (partitionedBy !== null) return ` PARTITION BY ${partitionedBy}`;
  return options === null ? '' : ` WITH (${options.join(', ')})`;
}
