import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BenchSandbox } from './sandbox.ts';

/** Until PostgreSQL's backends have taken a setting over, and until their last lines are in the log. */
const settleMs = 500;

/** Whose statements are counted, by the names of their connections: the API's, or those of all processes. */
export type Senders = 'API' | 'all';

const connectionNames: Record<Senders, string> = { API: 'mintrail api(?: orders)?', all: 'mintrail [^|]*' };

/**
 * Counts the statements that are sent while something is done, `begin` and `commit` among them, and the seconds in which they were. PostgreSQL logs them
 * meanwhile, so nothing else is measured with it.
 */
export async function recordStatements(
  { dataDir, pool }: BenchSandbox,
  senders: Senders,
  action: () => Promise<unknown>,
): Promise<{ count: number; seconds: number }> {
  const log = path.join(dataDir, 'logs', 'postgres.log');
  await setLogging(pool, { log_line_prefix: "'%a|'", log_statement: "'all'" });
  try {
    const offset = statSync(log).size;
    const startedAt = performance.now();
    await action();
    await delay(settleMs);
    const lines = readFileSync(log).subarray(offset).toString().split('\n');
    const seconds = (performance.now() - startedAt) / 1_000;
    const statement = new RegExp(`^${connectionNames[senders]}\\|LOG: {2}(statement|execute [^:]*):`);
    return { count: lines.filter((line) => statement.test(line)).length, seconds };
  } finally {
    await setLogging(pool, { log_line_prefix: 'default', log_statement: 'default' });
  }
}

async function setLogging(pool: BenchSandbox['pool'], settings: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(settings)) await pool.query(`alter system set ${name} = ${value}`);
  await pool.query('select pg_reload_conf()');
  await delay(settleMs);
}
