import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { createDatabase, createPool } from '../../platform/database.ts';

const role = 'mintrail_reader';

/** Makes the role with which readers of indexed rows connect (docs/indexed-data.md), with a new password. Returns its connection. */
export async function makeReaderRole(databaseUrl: string): Promise<string> {
  const database = createDatabase<Record<string, never>>(createPool({ connectionString: databaseUrl, max: 1, name: 'mintrail sandbox' }));
  const password = randomBytes(24).toString('base64url');
  try {
    await sql`do $$ begin create role ${sql.id(role)} login; exception when duplicate_object then null; end $$`.execute(database);
    await sql`alter role ${sql.id(role)} password ${sql.lit(password)}`.execute(database);
  } finally {
    await database.destroy();
  }
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = password;
  return url.href;
}
