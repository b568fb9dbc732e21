import type { Command } from 'commander';
import { generateSecretsKey } from '../../platform/sealing.ts';

/** `mintrail secrets`. */
export function addSecretsCommands(program: Command): void {
  const secrets = program.command('secrets').description('make the key that seals secrets in the database');

  secrets
    .command('generate-key')
    .description('print a new random key for SECRETS_KEY; redirect it into a file that only the service may read')
    .action(() => console.log(generateSecretsKey()));
}
