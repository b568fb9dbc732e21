import { type Column, type Schema, tablesByFile } from './read-schema.ts';
import { typesByColumn, typesByName } from './special-types.ts';

/** What a value of an SQL type is in TypeScript. */
const typesOfSql: Readonly<Record<string, string>> = {
  bigint: 'bigint',
  boolean: 'boolean',
  bytea: 'Buffer',
  date: 'string',
  'double precision': 'number',
  integer: 'number',
  smallint: 'number',
  text: 'string',
  'text[]': 'string[]',
  uuid: 'string',
  'uuid[]': 'string[]',
};

/** Where the types that columns name are defined, from `src/schema/`. */
const sources: Readonly<Record<string, string>> = {
  LowerAddress: '../platform/addresses.ts',
  Chain: '../platform/chains.ts',
  Currency: '../platform/money.ts',
  MinorUnits: '../platform/money.ts',
  Party: '../bank/credit.ts',
  BankRecall: '../bank/recall.ts',
  PostalAddress: '../platform/settings/postal-address.ts',
  Generated: 'kysely',
  GeneratedAlways: 'kysely',
};
const ownSource = './column-types.ts';

/** `src/schema/tables.ts`: an interface of Kysely for the tables. Throws for a type of SQL that it does not know, and for a special type without its column. */
export function tableTypes({ tables }: Schema): string {
  const used = new Set<string>();
  const files = [...tablesByFile()].map(([file, names]) => {
    const members = names.flatMap((name) => {
      const columns = tables.get(name)?.columns ?? [];
      return [
        `  ${camelCase(name)}: {`,
        ...columns.map((column) => `    ${camelCase(column.name)}: ${typeOf(name, column, used)};`),
        '  };',
      ];
    });
    return members.length === 0 ? '' : `  // ${file}.sql\n${members.join('\n')}\n`;
  });
  const unused = Object.keys(typesByColumn).filter((column) => !used.has(column));
  if (unused.length > 0) throw new Error(`scripts/schema/special-types.ts names columns that are not there: ${unused.join(', ')}`);
  const body = files.filter((text) => text !== '').join('\n');
  return `// Written by \`npm run schema\` from src/schema/*.sql.\n${imports(body)}\n/** The tables of the ledger. */\nexport interface LedgerTables {\n${body}}\n`;
}

function typeOf(table: string, column: Column, used: Set<string>): string {
  const key = `${table}.${column.name}`;
  const special = typesByColumn[key];
  if (special !== undefined) used.add(key);
  const isMayBeLeftOut = column.default !== null && !column.isNullable;
  const kind = kindOf(column.type);
  const nullable = column.isNullable ? 'Nullable' : isMayBeLeftOut ? 'Default' : '';
  if (kind === 'Json') return `${nullable}Json<${special ?? 'unknown'}>`;
  if (kind === 'Time' || kind === 'Numeric') return `${nullable}${kind}`;
  const base = special ?? column.values?.map((value) => `'${value}'`).join(' | ') ?? byName(column) ?? typesOfSql[column.type];
  if (base === undefined) throw new Error(`${key} is of the type ${column.type}, which scripts/schema/table-types.ts does not know`);
  const type = column.isNullable ? `${base} | null` : base;
  if (column.generated !== null) return `GeneratedAlways<${type}>`;
  return isMayBeLeftOut ? `Generated<${type}>` : type;
}

/** Those that are read as something else than they are written. */
function kindOf(type: string): 'Json' | 'Time' | 'Numeric' | undefined {
  if (type === 'jsonb') return 'Json';
  if (type === 'timestamp with time zone') return 'Time';
  return type.startsWith('numeric') ? 'Numeric' : undefined;
}

function byName({ name, type }: Column): string | undefined {
  return type === 'text' || type === 'bigint' ? typesByName[name] : undefined;
}

function imports(body: string): string {
  const named = new Set([...body.matchAll(/\b[A-Z]\w+/g)].map(([name]) => name).filter((name) => name !== 'Record' && name !== 'Buffer'));
  const bySource = Map.groupBy([...named].toSorted(), (name) => sources[name] ?? ownSource);
  return [...bySource]
    .toSorted(([one], [two]) => (one < two ? 1 : -1))
    .map(([source, names]) => `import type { ${names.join(', ')} } from '${source}';\n`)
    .join('');
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
