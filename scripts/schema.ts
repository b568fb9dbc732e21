// Writes docs/schema.sql, docs/schema.md and src/schema/tables.ts from the catalogue of a database that it makes of src/schema/; with --check it only says which
// are stale. Fails where a table has no comment.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../sandbox/postgres/embedded-postgres.ts';
import { removePostgresHome } from '../sandbox/postgres/postgres-home.ts';
import { migrateLedger } from '../src/schema/migrate.ts';
import { readSchema, type Schema } from './schema/read-schema.ts';
import { schemaPage } from './schema/schema-page.ts';
import { schemaSql } from './schema/schema-sql.ts';
import { tableTypes } from './schema/table-types.ts';

const schema = await migratedSchema();
const silent = [...schema.tables.values()].filter(({ comment }) => comment === '').map(({ name }) => name);
if (silent.length > 0) throw new Error(`These tables have no comment that says what they are for: ${silent.join(', ')}`);
write('docs/schema.sql', schemaSql(schema));
write('docs/schema.md', schemaPage(schema));
write('src/schema/tables.ts', tableTypes(schema));

async function migratedSchema(): Promise<Schema> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-schema-'));
  // Root's server runs as another user, who must be able to enter.
  chmodSync(dataDir, 0o711);
  try {
    const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
    try {
      await migrateLedger(postgres.url('postgres'));
      const client = new Client({ connectionString: postgres.url('postgres') });
      await client.connect();
      const read = await readSchema(client);
      await client.end();
      return read;
    } finally {
      await postgres.close();
      removePostgresHome(dataDir);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function write(name: string, text: string): void {
  const file = new URL(`../${name}`, import.meta.url);
  if (readFileSync(file, 'utf8') === text) return;
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
    console.log(`${name} has changed`);
    return;
  }
  console.error(`${name} is stale: run \`npm run schema\``);
  process.exitCode = 1;
}
