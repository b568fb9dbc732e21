import type { Command } from 'commander';
import { generateSecretsKey } from '../../platform/sealing.ts';
import { chainsOption } from '../option-values.ts';
import { print } from '../print.ts';
import type { CreateOptions } from './create.ts';

/** `mintrail secrets`. */
export function addSecretsCommands(program: Command): void {
  const secrets = program.command('secrets').description('make, change and check the key that seals secrets in the database');

  secrets
    .command('create')
    .description('make the secrets of a deployment in files that only this user may read: the key of secrets, and passwords for keystores')
    .argument('<folder>', 'where: its secrets-key, NETWORK/password and NETWORK-deployer/password. What exists is kept')
    .addOption(chainsOption('--network <name>', 'network with keystores of its own; repeatable'))
    .option('--write <file>', 'also write a POSTGRES_PASSWORD into this file of NAME=value lines, unless it has one')
    .option('--json', 'print JSON')
    .action(async (folder: string, options: CreateOptions) => (await import('./create.ts')).createSecrets(folder, options));

  secrets
    .command('generate-key')
    .description('print a new random key for SECRETS_KEY; redirect it into a file that only the service may read')
    .action(() => print(generateSecretsKey()));

  secrets
    .command('status')
    .description('count the secrets by the key that sealed them; exit code 1 when some are not sealed with the current one')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => (await import('./status.ts')).printStatus(json));

  secrets
    .command('rotate')
    .description('seal every secret with SECRETS_KEY, also those of SECRETS_KEYS_OLD; may be stopped and run again')
    .option('--yes', 'do not ask whether to do it')
    .option('--json', 'print JSON; needs --yes')
    .action(async (options: { yes?: boolean; json?: boolean }) => (await import('./rotate.ts')).rotate(options));
}
