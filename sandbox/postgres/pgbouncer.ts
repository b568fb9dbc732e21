import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { StopError, messageOf } from '../../src/platform/errors.ts';
import type { Running } from '../../src/platform/loop.ts';
import { rememberedPort } from '../../src/platform/process/free-port.ts';
import { type Exit, spawnGuarded } from '../../src/platform/process/guarded-process.ts';
import { preparePostgresHome } from './postgres-home.ts';

/** A PgBouncer in transaction mode on the loopback address that never outlives this process. */
export interface Pgbouncer extends Running {
  /** Connection string of the database through it. */
  url: string;
  /** Settles when it has ended, for any reason. */
  exited: Promise<Exit>;
}

/** The program, on PATH or where Debian keeps it; undefined where it is not installed. */
export function findPgbouncer(): string | undefined {
  return ['pgbouncer', '/usr/sbin/pgbouncer'].find((name) => spawnSync(name, ['--version']).error === undefined);
}

const startTimeoutMs = 60_000;

/** What deployments configure it by. */
const deployed = new URL('../../deploy/pgbouncer/pgbouncer.ini', import.meta.url);

/**
 * Starts PgBouncer before the embedded PostgreSQL of a data folder, of which `databaseUrl` is a database. Its settings are those of
 * `deploy/pgbouncer/pgbouncer.ini`. Throws `not_possible`.
 */
export async function startPgbouncer({ dataDir, databaseUrl }: { dataDir: string; databaseUrl: string }): Promise<Pgbouncer> {
  const program = findPgbouncer();
  if (program === undefined) throw failedStart('No pgbouncer is installed: apt-get install pgbouncer');
  const folder = path.resolve(dataDir);
  const { user, folder: home } = preparePostgresHome(folder);
  const port = await rememberedPort(path.join(folder, 'postgres', 'pgbouncer-port'));
  const server = new URL(databaseUrl);
  const config = path.join(home, 'pgbouncer.ini');
  const users = path.join(home, 'pgbouncer-users.txt');
  const secrets = [
    [users, `"${server.username}" "${decodeURIComponent(server.password)}"\n`],
    [config, configuration(server, port, users)],
  ] as const;
  for (const [file, content] of secrets) {
    writeFileSync(file, content, { mode: 0o600 });
    chmodSync(file, 0o600);
    if (user) chownSync(file, user.uid, user.gid);
  }
  const logFile = path.join(folder, 'logs', 'pgbouncer.log');
  // On SIGINT it lets statements end that are under way.
  const child = spawnGuarded({ command: program, args: [config], signal: 'SIGINT', cwd: home, user, logFile });
  const url = new URL(databaseUrl);
  url.port = String(port);
  const ended = new AbortController();
  void child.exited.then(() => ended.abort());
  for (const deadline = Date.now() + startTimeoutMs; !(await answers(url.href)); await delay(20)) {
    if (!ended.signal.aborted && Date.now() < deadline) continue;
    await child.stop();
    throw failedStart(`PgBouncer does not answer: see ${logFile}`);
  }
  return { url: url.href, exited: child.exited, close: async () => void (await child.stop()) };
}

/** The configuration of a deployment, with the addresses, the file and the role of this one. */
function configuration(server: URL, port: number, users: string): string {
  const values: Record<string, string> = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    auth_file: users,
    admin_users: server.username,
  };
  const database = server.pathname.slice(1);
  return readFileSync(deployed, 'utf8')
    .replace(/^mintrail = host=\S+ port=\S+/m, `${database} = host=${server.hostname} port=${server.port}`)
    .replace(/^(\w+) = .*$/gm, (line, name: string) => (name in values ? `${name} = ${values[name]}` : line));
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select');
    return true;
  } catch (error) {
    if (/authentication failed/.test(messageOf(error))) throw failedStart(messageOf(error), error);
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

function failedStart(message: string, cause?: unknown): StopError {
  return new StopError({ code: 'not_possible', message, cause });
}
