import type { Command } from 'commander';
import { wholeNumber } from '../option-values.ts';
import type { ListOptions } from './list.ts';

/** `mintrail user`. */
export function addUserCommands(program: Command): void {
  const user = program.command('user').description('list the users who sign in, show one, and sign one out everywhere');

  user
    .command('list', { isDefault: true })
    .description('list users, the newest first')
    .option('--match <text>', 'only users with this in their email address or name')
    .option('--limit <number>', 'show at most this many', wholeNumber(1, 10_000), 100)
    .option('--json', 'print JSON')
    .action(async (options: ListOptions) => (await import('./list.ts')).listAllUsers(options));

  user
    .command('show')
    .description('show a user and where they are signed in, as JSON')
    .argument('<email>', 'email address of the user')
    .action(async (email: string) => (await import('./list.ts')).showUser(email));

  user
    .command('reset-factors')
    .description(
      'remove all passkeys, the authenticator app and the recovery codes of a user who has lost them, and sign the user out everywhere',
    )
    .argument('<email>', 'email address of the user')
    .action(async (email: string) => (await import('./reset-factors.ts')).resetFactorsOf(email));

  user
    .command('sign-out')
    .description('end all sessions of a user and forget their browsers; the password and what they granted to applications stay')
    .argument('<email>', 'email address of the user')
    .action(async (email: string) => (await import('./sign-out.ts')).signOutUser(email));
}
