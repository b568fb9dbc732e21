import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BenchSandbox } from './sandbox.ts';

/** Until PostgreSQL's backends have taken a setting over, and until their last lines are in the log. */
const settleMs = 500;

/** Counts the statements that the API sends while something is done, `begin` and `commit` among them. PostgreSQL logs them meanwhile, so nothing else is measured with it. */
export async function recordStatements({ dataDir, pool }: BenchSandbox, action: () => Promise<unknown>): Promise<number> {
  const log = path.join(dataDir, 'logs', 'postgres.log');
  await setLogging(pool, { log_line_prefix: "'%a|'", log_statement: "'all'" });
  try {
    const offset = statSync(log).size;
    await action();
    await delay(settleMs);
    const lines = readFileSync(log).subarray(offset).toString().split('\n');
    return lines.filter((line) => /^mintrail api( orders)?\|LOG: {2}(statement|execute [^:]*):/.test(line)).length;
  } finally {
    await setLogging(pool, { log_line_prefix: 'default', log_statement: 'default' });
  }
}

async function setLogging(pool: BenchSandbox['pool'], settings: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(settings)) await pool.query(`alter system set ${name} = ${value}`);
  await pool.query('select pg_reload_conf()');
  await delay(settleMs);
}
