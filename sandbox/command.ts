import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Chain } from '../src/platform/chains.ts';
import { chainsOption, repeatable, wholeNumber } from '../src/cli/option-values.ts';
import { type ForkRequest, InvalidForkOption, parseForks } from './fork/fork-options.ts';
import { freshChains } from './instance.ts';
import { loadSomeSettings, settingText, settingVariable } from '../src/platform/settings.ts';

/** `mintrail sandbox`, which is `npm start`. */
export function addSandboxCommand(program: Command): void {
  program
    .command('sandbox')
    .description('run the whole service with its own database and local chains; `npm start` does this')
    .option('--fresh', 'delete the stored data first')
    .option('--block-time <seconds>', 'seconds between blocks of the local chains while there is something to mine', parseBlockTime, 1)
    .option('--confirmations <blocks>', 'blocks on top before an outcome counts', wholeNumber(0, 100), 0)
    .addOption(
      repeatable(
        '--fork <chain=url>',
        'go on from the state of a live network: CHAIN=URL, CHAIN=URL@BLOCK for an older block, or CHAIN=file:PATH of a file that holds either. The next start goes on with it, and needs no --fork',
        (text) => text,
      ),
    )
    .addOption(
      repeatable(
        '--token <currency=address>',
        "use a token of the live network instead of an own one, by impersonating its admin: eur=0x…, or gnosis:eur=0x… beside other forks. It must be Mintrail's token contract",
        (text) => text,
      ),
    )
    .addOption(chainsOption('--chain <chain>', `a chain that begins empty; repeatable. Without it: ${freshChains.join(', ')}`))
    .addOption(new Option('--only-forks', 'start no other chains than forks').conflicts('chain'))
    .option('--pgbouncer', 'reach the database through a PgBouncer in transaction mode, which must be installed')
    .action(async (options: SandboxCommandOptions, command: Command) => {
      const { fresh = false, onlyForks = false, pgbouncer = false, chain, blockTime: blockTimeSeconds, confirmations } = options;
      const { port, consolePort, dataDir } = loadSomeSettings(['port', 'consolePort', 'dataDir']);
      const forks = readForks(options, command);
      if (onlyForks && forks.length === 0) command.error('error: --only-forks needs a --fork');
      const { sandbox } = await import('./sandbox.ts');
      await sandbox({
        dataDir: path.resolve(dataDir),
        port,
        consolePort: settingText(process.env, settingVariable('consolePort')) === undefined ? consolePortBeside(port) : consolePort,
        blockTimeSeconds,
        confirmations,
        fresh,
        forks,
        freshChains: onlyForks ? [] : chain,
        pgbouncer,
      });
    });
}

/** 3010 beside 3000: two sandboxes that start at once do not try to get one port. 0, which is any, where there is no such port. */
function consolePortBeside(port: number): number {
  return port === 0 || port + 10 > 65_535 ? 0 : port + 10;
}

interface SandboxCommandOptions {
  fresh?: boolean;
  onlyForks?: boolean;
  chain?: Chain[];
  pgbouncer?: boolean;
  blockTime: number;
  confirmations: number;
  fork: string[];
  token: string[];
}

/** Not by readers of the options, whose errors repeat the value: it may hold a key. */
function readForks({ fork, token }: Pick<SandboxCommandOptions, 'fork' | 'token'>, command: Command): ForkRequest[] {
  try {
    return parseForks(fork, token);
  } catch (error) {
    if (error instanceof InvalidForkOption) command.error(`error: ${error.message}`);
    throw error;
  }
}

function parseBlockTime(text: string): number {
  const number = Number(text);
  if (number > 0 && number <= 60) return number;
  throw new InvalidArgumentError('It must be a number of seconds, more than 0 and at most 60.');
}
