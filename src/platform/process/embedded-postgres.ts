import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { RetryError, StopError, messageOf } from '../errors.ts';
import { rememberedPort } from './free-port.ts';
import { type Exit, guard, type GuardedProcess, spawnGuarded } from './guarded-process.ts';
import { noteProcess } from './process-identity.ts';
import { type PostgresHome, preparePostgresHome, runPostgresTool } from './postgres-home.ts';
import type { Running } from '../loop.ts';

export interface EmbeddedPostgresOptions {
  /** The server keeps all it has under `postgres/` in here, and logs to `logs/postgres.log`. */
  dataDir: string;
  /** `false` gives up safety against power loss for speed: for tests. */
  durable?: boolean;
}

/** A PostgreSQL server of our own, reachable from this machine only. It never outlives this process. */
export interface EmbeddedPostgres extends Running {
  port: number;
  /** Connection string of a database on this server. */
  url(database: string): string;
  /** Settles when the server has ended, for whatever reason. */
  exited: Promise<Exit>;
}

const superuser = 'postgres';

/** A crashed server replays its log first; a fresh one is up in a second. */
const startTimeoutMs = 60_000;

/** Every process of the sandbox has a pool, BullMQ's workers have theirs, and an indexer may take thirty. */
const maxConnections = 300;

/** Starts the server of a data folder, or takes over the one that is already running there. */
export async function startEmbeddedPostgres({ dataDir, durable = true }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = path.resolve(dataDir);
  const home = preparePostgresHome(folder);
  const cluster = path.join(home.folder, 'cluster');
  const secrets = path.join(folder, 'postgres');
  const password = storedPassword(path.join(secrets, 'password'));
  const access = (port: number): Access => ({ port, password, cluster });
  const running = await runningServer(cluster, access);
  if (running) return running;
  if (!existsSync(cluster)) createCluster(home, cluster, password);
  const port = await rememberedPort(path.join(secrets, 'port'));
  const logFile = path.join(folder, 'logs', 'postgres.log');
  const server = await launch(home, access(port), { logFile, durable });
  noteProcess(path.join(secrets, 'postgres.pid'), server.pid);
  return { ...reach(access(port)), exited: server.exited, close: async () => void (await server.stop()) };
}

interface Access {
  port: number;
  password: string;
  cluster: string;
}

function storedPassword(file: string): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8');
}

function createCluster(home: PostgresHome, cluster: string, password: string): void {
  // Renamed when complete, so that an interrupted start leaves nothing that looks like a cluster.
  const unfinished = `${cluster}.new`;
  const passwordFile = `${cluster}.password`;
  rmSync(unfinished, { recursive: true, force: true });
  rmSync(passwordFile, { force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (home.user) for (const name of [unfinished, passwordFile]) chownSync(name, home.user.uid, home.user.gid);
  const args = ['-D', unfinished, '-U', superuser, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
  try {
    runPostgresTool(home, 'initdb', [...args, '--encoding=UTF8', '--locale=C', '--no-instructions', '--no-sync']);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(unfinished, cluster);
}

async function launch(home: PostgresHome, access: Access, options: { logFile: string; durable: boolean }): Promise<GuardedProcess> {
  const deadline = Date.now() + startTimeoutMs;
  const logged = (): string => (existsSync(options.logFile) ? readFileSync(options.logFile, 'utf8') : '');
  for (;;) {
    const before = statSync(options.logFile, { throwIfNoEntry: false })?.size ?? 0;
    const server = spawnGuarded({
      command: path.join(home.bin, 'postgres'),
      args: serverArguments(access, options.durable),
      signal: 'SIGINT',
      cwd: access.cluster,
      env: { PATH: process.env['PATH'] },
      user: home.user,
      logFile: options.logFile,
    });
    const ended = new AbortController();
    void server.exited.then(() => ended.abort());
    while (!ended.signal.aborted && Date.now() < deadline) {
      if (await answers(access)) return server;
      await delay(20);
    }
    const crashed = ended.signal.aborted;
    await server.stop();
    const said = logged().slice(before);
    // After a crash the old server's backends need a moment to notice; until then the shared memory is still theirs.
    const leftovers = /shared memory block .* still in use|lock file "postmaster.pid" already exists/.test(said);
    if (leftovers && Date.now() < deadline) await delay(200);
    else throw failedStart(options.logFile, said, crashed);
  }
}

function failedStart(logFile: string, said: string, ended: boolean): RetryError {
  const lines = said.trim().split('\n').slice(-5).join('\n');
  return new RetryError({
    code: 'postgres_not_started',
    message: `PostgreSQL ${ended ? 'ended while it started' : 'did not answer in time'} (see ${logFile}):\n${lines}`,
  });
}

function serverArguments({ cluster, port }: Access, durable: boolean): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: maxConnections,
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return ['-D', cluster, '-p', String(port), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The server that another process has left running on this cluster: taken over, and from now on guarded by this one. */
async function runningServer(cluster: string, access: (port: number) => Access): Promise<EmbeddedPostgres | undefined> {
  const file = path.join(cluster, 'postmaster.pid');
  for (const deadline = Date.now() + startTimeoutMs; existsSync(file); await delay(100)) {
    const [pidLine, , , portLine] = readFileSync(file, 'utf8').split('\n');
    const pid = Number(pidLine);
    if (!isAlive(pid)) return undefined;
    const found = access(Number(portLine));
    if (portLine && (await answers(found))) return { ...reach(found), ...adopt(pid) };
    // Neither up nor gone: it is starting or ending. A number that now belongs to another program shows as a server that never answers.
    if (Date.now() > deadline) throw stuck(pid, cluster);
  }
  return undefined;
}

function stuck(pid: number, cluster: string): StopError {
  return new StopError({
    code: 'postgres_stuck',
    message: `Process ${pid} holds ${cluster} and does not answer: end it, or remove ${path.join(cluster, 'postmaster.pid')} when it is no PostgreSQL`,
  });
}

function adopt(pid: number): Pick<EmbeddedPostgres, 'exited' | 'close'> {
  const release = guard(pid, 'SIGINT');
  const exited = (async (): Promise<Exit> => {
    while (isAlive(pid)) await delay(100, undefined, { ref: false });
    release();
    return { code: null, signal: null };
  })();
  const close = async (): Promise<void> => {
    if (isAlive(pid)) process.kill(pid, 'SIGINT');
    while (isAlive(pid)) await delay(20);
  };
  return { exited, close };
}

function reach({ port, password }: Access): Pick<EmbeddedPostgres, 'port' | 'url'> {
  return { port, url: (database) => `postgresql://${superuser}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}` };
}

async function answers(access: Access): Promise<boolean> {
  const client = new Client({ connectionString: reach(access).url('postgres'), connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    return rows[0]?.data_directory === access.cluster;
  } catch (error) {
    if (/password authentication failed/.test(messageOf(error))) throw wrongPassword(access.cluster, error);
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

function wrongPassword(cluster: string, cause: unknown): StopError {
  return new StopError({
    code: 'postgres_password_mismatch',
    message: `The kept password does not open the database in ${cluster}: the two do not belong together. Begin anew with \`npm start -- --fresh\``,
    cause,
  });
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
