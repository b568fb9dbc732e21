import type { Command } from 'commander';
import { listSessions } from '../../ledger/access/sessions.ts';
import { userSubject } from '../../ledger/access/subject.ts';
import { listUsers } from '../../ledger/access/users.ts';
import { factorsText, requireUser, resetUserFactors, signOutUser } from '../../operations/users/access.ts';
import { wholeNumber } from '../option-values.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { addVerb } from '../verbs/add-verb.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail user`. */
export function addUserCommands(program: Command): void {
  const user = program.command('user').description('list the users who sign in, show one, and sign one out everywhere');

  user
    .command('list', { isDefault: true })
    .description('list users, the newest first')
    .option('--match <text>', 'only users with this in their email address or name')
    .option('--limit <number>', 'show at most this many', wholeNumber(1, 10_000), 100)
    .option('--json', 'print JSON')
    .action(listAllUsers);

  user
    .command('show')
    .description('show a user and where they are signed in, as JSON')
    .argument('<email>', 'email address of the user')
    .action(showUser);

  addVerb(user, resetUserFactors, {
    text: ({ email, ...factors }) => `Removed ${factorsText(factors)}. ${email} is signed out everywhere; the password is still valid.`,
  });
  addVerb(user, signOutUser, { text: ({ sessions }) => `${sessions} ${sessions === 1 ? 'session has' : 'sessions have'} ended.` });
}

interface ListOptions {
  match?: string;
  limit: number;
  json?: true;
}

/** `mintrail user list`. */
async function listAllUsers({ match, limit, json }: ListOptions): Promise<void> {
  const users = await withLedger((ledger) => listUsers(ledger, { text: match, limit }));
  if (json) return print(renderJson(users));
  if (users.length === 0) return print('No users.');
  const rows = users.map(({ email, name, createdAt, emailVerifiedAt, defaultProfile }) => [
    formatTime(createdAt),
    email,
    name,
    emailVerifiedAt === null ? 'no' : 'yes',
    defaultProfile ?? '',
  ]);
  print(renderTable(['created', 'email address', 'name', 'verified', 'default profile'], rows));
}

/** `mintrail user show`. Throws `not_found`. */
async function showUser(email: string): Promise<void> {
  const shown = await withLedger(async (ledger) => {
    const user = await requireUser(ledger, email);
    return { ...user, sessions: await listSessions(ledger, userSubject(user.id)) };
  });
  print(renderJson(shown));
}
