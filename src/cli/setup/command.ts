import type { Command } from 'commander';
import { chainsOption } from '../option-values.ts';
import type { SetupOptions } from './setup.ts';

/** `mintrail setup`. */
export function addSetupCommand(program: Command): void {
  program
    .command('setup')
    .description('ask for the settings of the smallest production, check each, and write them and the secrets into files')
    .addOption(chainsOption('--chain <name>', 'network to set up; repeatable. gnosis by default'))
    .option('--write <file>', 'file of NAME=value lines; what else is in it stays', '.env')
    .option('--secrets <folder>', 'where the key of secrets and the passwords are made; what exists is kept', 'secrets')
    .option('--compose', 'for docker-compose.yml, which has a database and folders of its own; asked on a terminal')
    .option('--answers <file>', 'take the answers from a file of NAME=value lines, or from stdin (-), and ask nothing')
    .option('--offline', 'make no connection: look at the form of the answers alone')
    .option('--yes', 'with --answers, replace values that the file has of what is asked')
    .action(async (options: SetupOptions) => (await import('./setup.ts')).setUp(options));
}
