import { listSessions } from '../../ledger/access/sessions.ts';
import { userSubject } from '../../ledger/access/subject.ts';
import { findUserByEmail, listUsers, type User } from '../../ledger/access/users.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { StopError } from '../../platform/errors.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** Options of `mintrail user list`. */
export interface ListOptions {
  match?: string;
  limit: number;
  json?: true;
}

/** `mintrail user list`. */
export async function listAllUsers({ match, limit, json }: ListOptions): Promise<void> {
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
export async function showUser(email: string): Promise<void> {
  const shown = await withLedger(async (ledger) => {
    const user = await requireUser(ledger, email);
    return { ...user, sessions: await listSessions(ledger, userSubject(user.id)) };
  });
  print(renderJson(shown));
}

/** The user of an email address. Throws `not_found`. */
export async function requireUser(ledger: Ledger, email: string): Promise<User> {
  const user = await findUserByEmail(ledger, email);
  if (user) return user;
  throw new StopError({ code: 'not_found', message: `There is no user ${email}; \`mintrail user list\` lists them` });
}
