import { CamelCasePlugin, Kysely } from 'kysely';
import { type CustomTypesConfig, Pool, types as pgTypes } from 'pg';
import type { Log } from './log.ts';
import { createActingDialect } from './postgres/acting-dialect.ts';
import { prepareRepeated } from './postgres/prepared-statements.ts';

/** PostgreSQL schema of the ledger's tables. */
export const ledgerSchema = 'ledger';

/** What the statements of the service expect of each connection: of the session, or of the role behind a pooler. */
export const statementSettings = {
  search_path: ledgerSchema,
  // The plan of a prepared statement is kept: one that was made while a table was small would read it from end to end when it is large.
  enable_seqscan: 'off',
  // A statement takes milliseconds. To start processes for it, or to compile it, takes longer, and the planner does so when it expects too many rows.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
};

const sessionOptions = [
  ...Object.entries(statementSettings).map(([name, value]) => `${name}=${value}`),
  // PostgreSQL asks a silent client whether it is still there, and gives it up after some 25 seconds. By default it begins after two hours, and the
  // lanes of a machine that lost its power would be held for so long.
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
]
  .map((option) => `-c ${option}`)
  .join(' ');

/** How the database is reached; `max` is the size of the connection pool. */
export interface DatabaseOptions {
  connectionString: string;
  /** Whether that is a pooler, which takes no options of a session: the {@link statementSettings} are then those of the role. By default it is not. */
  isPooled?: boolean;
  /** Whether statements that are repeated are prepared. By default they are. */
  isPreparing?: boolean;
  max?: number;
  log?: Log;
  /** Shown in pg_stat_activity. */
  name?: string;
  /** Whether a connection sends a statement before the one in front of it is answered, and how long it waits for an answer at most. */
  pipelined?: { timeoutMs: number };
}

/** Parsers by type: int8 becomes a bigint instead of a string, a date stays a string instead of a time in this machine's zone. */
const parsers = new Map<number, (text: string) => unknown>([
  [20, BigInt],
  [1082, String],
]);

const types: CustomTypesConfig = {
  getTypeParser: (oid, format) => parsers.get(oid) ?? pgTypes.getTypeParser(oid, format),
};

/** A connection pool on the ledger's schema. A lost idle connection is logged, and the next query opens a new one. */
export function createPool(options: DatabaseOptions): Pool {
  const { connectionString, isPooled = false, isPreparing = true, max = 10, log, name = 'mintrail', pipelined } = options;
  const pool = new Pool({
    connectionString,
    max,
    types,
    application_name: name,
    ...(isPooled ? {} : { options: sessionOptions }),
    // Longer than a failover refuses connections, or a busy machine takes to make one; shorter than clients wait for an answer.
    connectionTimeoutMillis: 10_000,
    // Longer than the time between two blocks of most networks, each of which would open its connections anew.
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    // An idle connection notices that the server is gone after some 20 seconds, which is before the server gives it up. By default it takes two hours.
    keepAliveInitialDelayMillis: 10_000,
    ...(pipelined === undefined ? {} : { pipeline: true, query_timeout: pipelined.timeoutMs }),
  });
  const onLost = (error: Error) => log?.warn({ err: error }, 'database connection lost');
  pool.on('error', onLost);
  // A connection lost inside a transaction emits an error event, which would end the process. The next statement fails anyway.
  pool.on('connect', (client) => {
    client.on('error', onLost);
    if (isPreparing) prepareRepeated(client);
  });
  return pool;
}

/** Makes the keys of rows camelCase; the keys inside a JSON column are left as they are. */
export const camelCaseKeys = new CamelCasePlugin({ maintainNestedObjectKeys: true });

/**
 * The typed query builder over a pool. Tables, columns and the keys of rows are camelCase in TypeScript and snake_case in SQL, those of
 * raw statements too; the keys inside a JSON column are left as they are. Its transactions know on whose behalf they write (src/platform/acting.ts).
 */
export function createDatabase<Tables>(pool: Pool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: createActingDialect(pool), plugins: [camelCaseKeys] });
}

/** Whether an error is an outage of the database, after which the same work may succeed, and not an answer. */
export function isDatabaseOutage(error: unknown): boolean {
  const code = (error as { code?: string } | undefined)?.code ?? '';
  const message = error instanceof Error ? error.message : '';
  // 08: connection; 57P: shutdown and crash recovery; 57014: time limit; 40: serialisation failure or deadlock; 53: too many connections.
  return (
    /^(08|57P|57014|40|53)/.test(code) ||
    /^E(CONN|PIPE|TIMEDOUT)/.test(code) ||
    /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|not queryable/.test(message)
  );
}
