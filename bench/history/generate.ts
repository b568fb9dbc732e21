import { Client } from 'pg';
import { ledgerSchema } from '../../src/platform/database.ts';
import { type HistorySize, historySteps } from './statements.ts';

/** Fills an empty ledger with history. Triggers and foreign keys do not act meanwhile: what they would do, the statements do. */
export async function generateHistory(databaseUrl: string, size: HistorySize, print: (line: string) => void = console.log): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, options: `-c search_path=${ledgerSchema} -c timezone=UTC` });
  await client.connect();
  try {
    await client.query(
      `set session_replication_role = replica; set synchronous_commit = off; set work_mem = '256MB'; set maintenance_work_mem = '512MB'`,
    );
    for (const [name, statement] of historySteps(size)) {
      const startedAt = performance.now();
      await client.query(statement);
      print(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${name}`);
    }
  } finally {
    await client.end();
  }
}
