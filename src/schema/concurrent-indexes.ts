import type { PoolClient } from 'pg';
import { ledgerSchema } from '../platform/database.ts';

/** Whether a migration changes indexes beside the writers of their tables. It does nothing else then: it cannot run in a transaction. */
export function buildsConcurrently(migration: string): boolean {
  return /\bindex\s+concurrently\b/i.test(migration);
}

/**
 * Runs a migration that {@link buildsConcurrently}, each statement by itself. After a crash the same call goes on: statements say `if exists` or
 * `if not exists`, and an index that was left unfinished, which PostgreSQL keeps as invalid, is dropped and built again.
 */
export async function buildIndexes(session: PoolClient, migration: string): Promise<void> {
  for (const statement of statementsOf(migration)) {
    const [, index] = /^create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+(\w+)/i.exec(statement) ?? [];
    if (index !== undefined) await dropInvalid(session, index);
    await session.query(statement);
  }
}

/** The statements without comments. No statement about an index has a semicolon within. */
function statementsOf(migration: string): string[] {
  return migration
    .replaceAll(/--[^\n]*/g, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

async function dropInvalid(session: PoolClient, index: string): Promise<void> {
  const { rowCount } = await session.query('select from pg_index where indexrelid = to_regclass($1) and not indisvalid', [
    `${ledgerSchema}.${index}`,
  ]);
  if (rowCount) await session.query(`drop index concurrently ${ledgerSchema}.${index}`);
}
