import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client, type Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tryAdvisoryLock } from '../../src/platform/postgres/advisory-lock.ts';
import { directUrl, statementConnection } from '../../src/platform/postgres/connections.ts';
import { actAs } from '../../src/platform/acting.ts';
import { createDatabase, createPool, statementSettings } from '../../src/platform/database.ts';
import { listen } from '../../src/platform/postgres/listen.ts';
import { createLog } from '../../src/platform/log.ts';
import { findPgbouncer, type Pgbouncer, startPgbouncer } from '../../sandbox/postgres/pgbouncer.ts';
import { removePostgresHome } from '../../sandbox/postgres/postgres-home.ts';
import { inPipelinedTransaction } from '../../src/platform/postgres/pipelined-transaction.ts';
import { setRoleSettings } from '../../src/platform/postgres/role-settings.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

describe.skipIf(findPgbouncer() === undefined)('through a PgBouncer in transaction mode', () => {
  let ledgerDatabase: TestDatabase;
  let dataDir: string;
  let pgbouncer: Pgbouncer;
  let settings: { databaseUrl: string; databaseDirectUrl: string };
  const opened: Pool[] = [];
  const open = (options: Parameters<typeof createPool>[0]): Pool => {
    const pool = createPool(options);
    opened.push(pool);
    return pool;
  };

  beforeAll(async () => {
    ledgerDatabase = await createTestDatabase();
    dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-pgbouncer-'));
    // Root's PgBouncer runs as another user, who must be able to enter.
    chmodSync(dataDir, 0o711);
    pgbouncer = await startPgbouncer({ dataDir, databaseUrl: ledgerDatabase.url });
    settings = { databaseUrl: pgbouncer.url, databaseDirectUrl: ledgerDatabase.url };
  });

  afterAll(async () => {
    await Promise.all(opened.map((pool) => pool.end()));
    await pgbouncer?.close();
    await ledgerDatabase?.drop();
    removePostgresHome(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('the file of deployments is understood: its pool and its limits are those of the running program', async () => {
    const url = new URL(pgbouncer.url);
    url.pathname = '/pgbouncer';
    const console = new Client({ connectionString: url.href });
    await console.connect();
    const { rows } = await console.query<{ key: string; value: string }>('show config');
    const running = new Map(rows.map(({ key, value }) => [key, value]));
    const [, written = ''] = readFileSync('deploy/pgbouncer/pgbouncer.ini', 'utf8').split('[pgbouncer]');
    const lines = [...written.matchAll(/^(\w+) = (.*)$/gm)].filter(([, name = '']) => !/^(listen_|auth_file|admin_users)/.test(name));
    expect(lines.length).toBeGreaterThan(8);
    for (const [, name = '', value] of lines) expect([name, running.get(name)]).toEqual([name, value]);
    const databases = await console.query<{ name: string; port: number }>('show databases');
    expect(databases.rows.map(({ name }) => name).toSorted()).toEqual([new URL(pgbouncer.url).pathname.slice(1), 'pgbouncer'].toSorted());
    await console.end();
  });

  it('statements that are repeated find the tables, and are planned as on a direct connection, also where no role has settings, as after a restore', async () => {
    const pool = open({ ...statementConnection(settings), max: 4 });
    const ofRoles = 'select from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database()';
    expect((await pool.query(ofRoles)).rowCount).toBe(0);
    for (const [name, value] of Object.entries(statementSettings))
      expect((await pool.query(`show ${name}`)).rows).toEqual([{ [name]: value }]);
    expect(await repeat(pool)).toEqual(Array.from({ length: 40 }, (_, turn) => turn));
  });

  it('statements that are sent before the ones in front of them are answered are one transaction', async () => {
    const pool = open({ ...statementConnection(settings), max: 2, pipelined: { timeoutMs: 5_000 } });
    const database = createDatabase<Record<string, never>>(pool);
    const transactions = Array.from({ length: 40 }, () =>
      inPipelinedTransaction({ pool, database }, async ({ send, commit }) => {
        const current = () => send(sql<{ id: string }>`select pg_current_xact_id()::text as id`);
        const [first, second] = await Promise.all([current(), current(), commit()]);
        return [first[0]?.id, second[0]?.id];
      }),
    );
    const ids = await Promise.all(transactions);
    expect(ids.filter(([first, second]) => first !== second)).toEqual([]);
    expect(new Set(ids.map(([first]) => first)).size).toBe(40);
  });

  it('what is written for an actor names the actor, and what comes next through the same connection does not', async () => {
    const database = createDatabase<Record<string, never>>(open({ ...statementConnection(settings), max: 4 }));
    const add = (name: string) => sql`insert into operators (name, role) values (${name}, 'viewer')`.execute(database);
    const turns = Array.from({ length: 20 }, (_, turn) => turn);
    await Promise.all(
      turns.flatMap((turn) => [actAs({ kind: 'operator', id: `by-${turn}` }, () => add(`of-${turn}`)), add(`nobody-${turn}`)]),
    );
    const { rows } = await sql<{ subject: string; actor: string }>`
      select subject, actor from audit_log where action = 'operator.add'
    `.execute(database);
    const actors = new Map(rows.map(({ subject, actor }) => [subject, actor]));
    for (const turn of turns) expect([actors.get(`of-${turn}`), actors.get(`nobody-${turn}`)]).toEqual([`by-${turn}`, 'mintrail']);
  });

  it('prepared statements do not work in its version 1.18, so they are off by default', async () => {
    expect(statementConnection(settings).isPreparing).toBe(false);
    expect(statementConnection({ ...settings, databasePrepared: 'on' }).isPreparing).toBe(true);
    expect(statementConnection({ databaseUrl: ledgerDatabase.url })).toEqual({
      connectionString: ledgerDatabase.url,
      isPooled: false,
      isPreparing: true,
    });
  });

  it('the role has these settings after a migration, for another pooler that sends no query when it connects', async () => {
    expect(await setRoleSettings(ledgerDatabase.url)).toBe(true);
    expect(await setRoleSettings(ledgerDatabase.url)).toBe(false);
    const plain = new Client({ connectionString: ledgerDatabase.url });
    await plain.connect();
    for (const [name, value] of Object.entries(statementSettings))
      expect((await plain.query(`show ${name}`)).rows).toEqual([{ [name]: value }]);
    await plain.end();
  });

  it('a connection that must last is refused, so that none is used for locks by mistake', async () => {
    const mistaken = open({ connectionString: pgbouncer.url });
    await expect(mistaken.query('select 1')).rejects.toThrow('unsupported startup parameter: options');
  });

  it('locks and notifications use the direct connections', async () => {
    const direct = open({ connectionString: directUrl(settings), max: 3 });
    const statements = open(statementConnection(settings));
    const lock = await tryAdvisoryLock(direct, 'lane of a test');
    expect(lock).toBeDefined();
    expect(await tryAdvisoryLock(direct, 'lane of a test')).toBeUndefined();
    // So that a machine that vanished does not keep a lane's lock for two hours.
    expect((await direct.query('show tcp_keepalives_idle')).rows).toEqual([{ tcp_keepalives_idle: '10' }]);
    let notified = false;
    const listening = listen(direct, 'channel_of_a_test', () => (notified = true), createLog('silent'));
    await until('the notification has arrived', async () => {
      await statements.query('notify channel_of_a_test');
      await delay(20);
      return notified || undefined;
    });
    await listening.close();
    await lock?.release();
    // PostgreSQL frees the lock of a connection that was closed a moment later.
    const again = await until('the lock is free', () => tryAdvisoryLock(direct, 'lane of a test'));
    await again.release();
  });
});

/** Four clients, each with the same statement again and again: their transactions use the server's connections by turns. */
async function repeat(pool: Pool): Promise<unknown[]> {
  const turns = Array.from({ length: 40 }, async (_, turn) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query<{ turn: number }>('select $1::int as turn, count(*) from orders', [turn]);
      await client.query('commit');
      return rows[0]?.turn;
    } finally {
      client.release();
    }
  });
  return Promise.all(turns);
}
