import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { preparePostgresHome } from '../../sandbox/postgres/postgres-home.ts';
import { freePortRange } from '../support/processes/free-port-range.ts';
import { processesWith } from '../support/processes/npm-start.ts';
import { type CommandServer, startCommandServer } from './command-server.ts';
import { cloneProject, followTour, newcomer, openTerminal, readTour, type Terminal, type TourBlock } from './documented-tour.ts';

/** The line of the page that says which ports to take, and that others may be taken. */
const portsLine = /^(PGPORT)=5432 (REDIS_PORT)=6379 (CHAIN_PORT)=8545 (PORT)=3000 (CONSOLE_PORT)=3010$/m;

/** The waits of the page that are shorter in a run of all tests: blocks on top before an outcome counts, and seconds for which payments are collected. */
const shorterWaits = [
  ['GNOSIS_CONFIRMATIONS=2', 'GNOSIS_CONFIRMATIONS=0'],
  ['BANK_FILE_SECONDS=3', 'BANK_FILE_SECONDS=0'],
] as const;

/** What it costs to open a new keystore, which the tour does forty times: in a run of all tests almost nothing. */
const cheaperKeystores = { file: 'src/chain/signers/keystore-v3.ts', documented: 'n: 262_144', other: 'n: 1_024' };

/** What starts the command line in the terminal of the commands. */
const commandLine = 'node src/cli/mintrail.mjs --settings .env "$@"';

/** The terminal in which commands are typed. The others show processes. */
const commands = 1;

/** A machine of the tour of docs/operations/tour.md. */
export interface OperatorsTour {
  /** Does what sections of the page say, in terminals that stay open. Throws when a command fails or a text does not appear. */
  follow(...headings: string[]): Promise<void>;
  /** The links of invitations that its commands have shown. */
  invitations(): string[];
  /** Ends everything that was started, and removes the folder. */
  end(): Promise<void>;
}

/** Whether all is done as the page has it, or with shorter waits and cheaper keystores, and with the commands in one process. */
export type TourClock = 'as documented' | 'short';

/** Clones the project into a folder, for a user who is not root, with the programs of Debian's PostgreSQL on the PATH, or of the embedded one. */
export async function prepareOperatorsTour(folder: string, clock: TourClock): Promise<OperatorsTour> {
  const clone = path.join(folder, 'mintrail');
  const home = path.join(folder, 'home');
  mkdirSync(home);
  chmodSync(folder, 0o711);
  cloneProject(clone);
  if (clock === 'short') {
    const file = path.join(clone, cheaperKeystores.file);
    writeFileSync(file, exchanged(readFileSync(file, 'utf8'), cheaperKeystores.documented, cheaperKeystores.other));
  }
  const { user, bin: embedded } = preparePostgresHome(folder);
  const bin =
    globSync('/usr/lib/postgresql/*/bin/initdb')
      .map((program) => path.dirname(program))
      .toSorted()
      .at(-1) ?? embedded;
  if (user) giveTo(user, clone, home);
  const { PATH, ...others } = newcomer(home);
  const env = { ...others, PATH: [bin, PATH].join(path.delimiter) };
  const server = clock === 'short' ? await startCommandServer(path.join(home, 'commands'), { clone, user, env }) : undefined;
  const terminals = new Map<number, Terminal>();
  const open = (number: number): Terminal => {
    const terminal = terminals.get(number) ?? openTerminal(clone, { env, user });
    terminals.set(number, terminal);
    return terminal;
  };
  const first = await freePortRange(5);
  const otherPorts = (_: string, ...names: string[]) =>
    names
      .slice(0, 5)
      .map((name, index) => `${name}=${first + index}`)
      .join(' ');
  const consoleAddress = `http://localhost:${first + 4}`;
  const withConsole = (block: TourBlock) => ({ ...block, text: block.text.replace('http://localhost:3010', consoleAddress) });
  const output = () => [...terminals].map(([number, terminal]) => `--- terminal ${number} ---\n${terminal.output()}`).join('\n');
  return {
    async follow(...headings) {
      const page = readFileSync(path.join(clone, 'docs/operations/tour.md'), 'utf8');
      const blocks = headings
        .flatMap((heading) => readTour(shortened(page, server).replace(portsLine, otherPorts), heading))
        .map(withConsole);
      await followTour(blocks, commands, open).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${output()}`);
      });
    },
    invitations: () =>
      terminals
        .get(commands)
        ?.output()
        .match(/^http:.*\/invitation#.+$/gm) ?? [],
    async end() {
      await server?.close();
      // PostgreSQL and the chain are no children of a terminal; each has a path of the folder in its environment.
      while (killAll(folder) > 0) await delay(50);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function shortened(page: string, server: CommandServer | undefined): string {
  if (server === undefined) return page;
  const exchanges = [...shorterWaits, [commandLine, server.shellCommands]] as const;
  return exchanges.reduce((text, [documented, other]) => exchanged(text, documented, other), page);
}

function exchanged(text: string, documented: string, other: string): string {
  if (!text.includes(documented)) throw new Error(`There is no longer ${documented}`);
  return text.replaceAll(documented, () => other);
}

/** All but the dependencies, which are linked, and are read only. */
function giveTo({ uid, gid }: { uid: number; gid: number }, clone: string, home: string): void {
  const dependencies = path.join(clone, 'node_modules');
  const own = readdirSync(clone)
    .map((name) => path.join(clone, name))
    .filter((name) => name !== dependencies);
  execFileSync('chown', ['-R', `${uid}:${gid}`, home, ...own]);
  for (const name of [clone, dependencies]) chownSync(name, uid, gid);
}

function killAll(folder: string): number {
  const running = processesWith(folder);
  for (const { pid } of running) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  return running.length;
}
