import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';

/** The files of a schema, in the order in which they run, and beside them the folder `migrations` with what came after the first release. */
export interface SchemaFiles {
  folder: URL;
  /** Without `.sql`. A file refers to those before it. */
  names: readonly string[];
}

/** The schema of the ledger. `audit` comes last: it has the triggers of all tables. */
export const ledgerFiles: SchemaFiles = {
  folder: new URL('./', import.meta.url),
  names: [
    'partitions',
    'operators',
    'access',
    'customers',
    'orders',
    'lanes',
    'book',
    'bank',
    'webhooks',
    'recovery',
    'safes',
    'swap',
    'requests',
    'audit',
  ],
};

/** The text of a file, of the schema or of `migrations/`. */
export function readSchemaFile({ folder }: SchemaFiles, name: string): string {
  return readFileSync(new URL(`${name}.sql`, folder), 'utf8');
}

/** The names of the migrations in their order; none before the first release. */
export function migrationNames({ folder }: SchemaFiles): string[] {
  const migrations = new URL('migrations/', folder);
  try {
    return readdirSync(migrations)
      .filter((name) => name.endsWith('.sql'))
      .map((name) => name.replace('.sql', ''))
      .toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** What tells two states of the files apart: 12 hexadecimal digits of the SHA-256 of their statements. Comments do not count, those on tables neither. */
export function fingerprintOf(files: SchemaFiles): string {
  const statements = files.names.map((name) =>
    readSchemaFile(files, name)
      .replaceAll(/--.*$/gm, '')
      .replaceAll(/\bcomment on table \w+ is\s+'(?:[^']|'')*';/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  return createHash('sha256').update(statements.join('\n')).digest('hex').slice(0, 12);
}
