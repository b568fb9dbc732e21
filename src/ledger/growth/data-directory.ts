import { sql } from 'kysely';
import type { Ledger } from '../ledger.ts';

/** The folder in which PostgreSQL keeps its data, on its own machine; undefined for a role that is no member of `pg_read_all_settings`. */
export async function dataDirectory(ledger: Ledger): Promise<string | undefined> {
  const { rows } = await sql<{ folder: string }>`select setting as folder from pg_settings where name = 'data_directory'`.execute(ledger);
  return rows[0]?.folder;
}
