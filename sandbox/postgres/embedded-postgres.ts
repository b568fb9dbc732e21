import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { RetryError, StopError, messageOf } from '../../src/platform/errors.ts';
import { rememberedPort } from '../../src/platform/process/free-port.ts';
import { type Exit, guard, type GuardedProcess, spawnGuarded } from '../../src/platform/process/guarded-process.ts';
import { noteProcess } from '../process-identity.ts';
import { type PostgresHome, preparePostgresHome, runPostgresTool } from './postgres-home.ts';
import type { Running } from '../../src/platform/loop.ts';

/** How the embedded PostgreSQL is started. */
export interface EmbeddedPostgresOptions {
  /** The server's data is in its folder `postgres`, the log in `logs/postgres.log`. */
  dataDir: string;
  /** `false` is faster and loses data on a power failure: for tests. */
  durable?: boolean;
  /** Folder of the programs of another PostgreSQL than the embedded one. */
  bin?: string | undefined;
}

/** A PostgreSQL server on the loopback address that never outlives this process. */
export interface EmbeddedPostgres extends Running {
  port: number;
  /** Connection string of a database on this server. */
  url(database: string): string;
  /** Settles when the server has ended, for any reason. */
  exited: Promise<Exit>;
}

const superuser = 'postgres';

/** A new server needs a second. After a crash it first replays its log, and a busy machine takes many times as long. */
const startTimeoutMs = 180_000;

/** For one attempt to connect. */
const connectTimeoutMs = 10_000;

/** Each process of the sandbox has a pool, BullMQ's workers have their own, and an indexer may use thirty. */
const maxConnections = 300;

/** Starts the server of a data folder, or takes over one that already runs. Throws `not_possible_yet`, `not_possible`. */
export async function startEmbeddedPostgres({ dataDir, durable = true, bin }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = path.resolve(dataDir);
  const home = preparePostgresHome(folder, bin);
  const cluster = path.join(home.folder, 'cluster');
  const secrets = path.join(folder, 'postgres');
  const password = storedPassword(path.join(secrets, 'password'));
  const access = (port: number): Access => ({ port, password, cluster });
  const running = await runningServer(cluster, access);
  if (running) return running;
  if (!existsSync(cluster)) await createCluster(home, cluster, password);
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

async function createCluster(home: PostgresHome, cluster: string, password: string): Promise<void> {
  // Renamed when it is complete, so that an interrupted start leaves no partial cluster.
  const unfinished = `${cluster}.new`;
  const passwordFile = `${cluster}.password`;
  rmSync(unfinished, { recursive: true, force: true });
  rmSync(passwordFile, { force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (home.user) for (const name of [unfinished, passwordFile]) chownSync(name, home.user.uid, home.user.gid);
  const args = ['-D', unfinished, '-U', superuser, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
  try {
    await runPostgresTool(home, 'initdb', [...args, '--encoding=UTF8', '--locale=C', '--no-instructions', '--no-sync']);
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
    const output = logged().slice(before);
    // After a crash the old server's backends hold the shared memory for another moment.
    const leftovers = /shared memory block .* still in use|lock file "postmaster.pid" already exists/.test(output);
    if (leftovers && Date.now() < deadline) await delay(200);
    else throw failedStart(options.logFile, output, crashed);
  }
}

function failedStart(logFile: string, output: string, ended: boolean): RetryError {
  const lines = output.trim().split('\n').slice(-5).join('\n');
  return new RetryError({
    code: 'not_possible_yet',
    message: `PostgreSQL ${ended ? 'ended while it started' : 'did not answer in time'} (see ${logFile}):\n${lines}`,
  });
}

function serverArguments({ cluster, port }: Access, durable: boolean): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: maxConnections,
    shared_buffers: `${bufferMegabytes()}MB`,
    // After a checkpoint the first change of a page is logged with the whole page: with a fourth of this, a large file's log was a third longer.
    max_wal_size: '2GB',
    // The details of errors hold values of rows, which are no matter of a log.
    log_error_verbosity: 'terse',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return ['-D', cluster, '-p', String(port), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** An eighth of the memory. A page is taken when it is used: a large bank file fills 9 kB for each credit, and reads again what does not fit. */
function bufferMegabytes(): number {
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return Math.min(2_048, Math.max(128, Math.floor(bytes / 8 / 2 ** 20)));
}

/** The server that already runs on this cluster. From now on this process guards it. */
async function runningServer(cluster: string, access: (port: number) => Access): Promise<EmbeddedPostgres | undefined> {
  const file = path.join(cluster, 'postmaster.pid');
  for (const deadline = Date.now() + startTimeoutMs; existsSync(file); await delay(100)) {
    const [pidLine, , , portLine] = readFileSync(file, 'utf8').split('\n');
    const pid = Number(pidLine);
    if (!isAlive(pid)) return undefined;
    const server = access(Number(portLine));
    if (portLine && (await answers(server))) return { ...reach(server), ...adopt(pid) };
    // It is starting or ending. If the pid belongs to another program by now, it never answers, and this ends at the deadline.
    if (Date.now() > deadline) throw stuck(pid, cluster);
  }
  return undefined;
}

function stuck(pid: number, cluster: string): StopError {
  return new StopError({
    code: 'not_possible',
    message: `Process ${pid} holds ${cluster} and does not answer: end it, or if it is not PostgreSQL, remove ${path.join(cluster, 'postmaster.pid')}`,
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
  const client = new Client({ connectionString: reach(access).url('postgres'), connectionTimeoutMillis: connectTimeoutMs });
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
    code: 'not_possible',
    message: `The stored password does not open the database in ${cluster}. Start with empty data: \`npm start -- --fresh\``,
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
