import type { Command } from 'commander';
import { factorsText, resetUserFactors, signOutUser } from '../../operations/users/access.ts';
import { wholeNumber } from '../option-values.ts';
import { addVerb } from '../verbs/add-verb.ts';
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

  addVerb(user, resetUserFactors, {
    text: ({ email, ...factors }) => `Removed ${factorsText(factors)}. ${email} is signed out everywhere; the password is still valid.`,
  });
  addVerb(user, signOutUser, { text: ({ sessions }) => `${sessions} ${sessions === 1 ? 'session has' : 'sessions have'} ended.` });
}
