import { listSessions } from '../../ledger/access/sessions.ts';
import { userSubject } from '../../ledger/access/subject.ts';
import { listUsers } from '../../ledger/access/users.ts';
import { requireUser } from '../../operations/users/access.ts';
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
