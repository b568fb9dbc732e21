import { Client } from 'pg';
import { StopError } from '../errors.ts';

/** The oldest version that the tests have run on (docs/operations/deployment.md, PostgreSQL). */
const leastVersion = 15;

/** Longer than a server takes to accept a connection, on a busy machine too: one that does not is an outage. */
const timeoutMs = 20_000;

/** Throws `database_too_old` for an older PostgreSQL, and what is an outage of the database. */
export async function requireServerVersion(connectionString: string): Promise<void> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: 'mintrail version',
  });
  // A connection that is lost emits an error, which would end the process. The statement fails anyway.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ number: number; name: string }>(
      `select current_setting('server_version_num')::int as number, current_setting('server_version') as name`,
    );
    const [{ number, name } = { number: 0, name: 'unknown' }] = rows;
    if (number >= leastVersion * 10_000) return;
    throw new StopError({
      code: 'database_too_old',
      message: `The server of DATABASE_URL is PostgreSQL ${name}; Mintrail needs ${leastVersion} or newer`,
    });
  } finally {
    await client.end();
  }
}
