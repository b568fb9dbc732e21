import type { Pool, PoolClient } from 'pg';
import { createPool } from '../../src/platform/database.ts';

/** A statement that was executed. */
export interface RecordedStatement {
  text: string;
  values: unknown[];
}

/** A pool that remembers which statements were executed, each text once. */
export interface RecordedPool {
  pool: Pool;
  /** The statements since the last call. */
  take(): RecordedStatement[];
}

/** A pool of the ledger whose statements are recorded. */
export function createRecordedPool(connectionString: string): RecordedPool {
  const recorded = new Map<string, RecordedStatement>();
  const pool = createPool({ connectionString, max: 6 });
  pool.on('connect', (client: PoolClient) => {
    const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
    client.query = ((text: unknown, ...rest: unknown[]) => {
      const values = Array.isArray(rest[0]) ? rest[0] : [];
      if (typeof text === 'string' && !recorded.has(text)) recorded.set(text, { text, values });
      return query(text, ...rest);
    }) as typeof client.query;
  });
  return {
    pool,
    take() {
      const statements = [...recorded.values()];
      recorded.clear();
      return statements;
    },
  };
}
