import { timingSafeEqual } from 'node:crypto';
import { StopError } from '../../../platform/errors.ts';
import type { Ledger } from '../../ledger.ts';
import type { ApplicationKind } from './application-kinds.ts';
import { hashSecret } from './secrets.ts';

/** A registered application; `owner` is the id of a user. */
export interface Application {
  id: string;
  kind: ApplicationKind;
  owner: string;
}

/**
 * The application that proves itself by its secret; `undefined` for a wrong secret, an unknown or a disabled application
 * alike. In a transaction nobody makes a new secret before its end. Throws `application_not_active` when the secret is right and its time has not come
 * (docs/api.md, Applications).
 */
export async function authenticateApplication(ledger: Ledger, id: string, secret: string): Promise<Application | undefined> {
  const application = await ledger
    .selectFrom('applications as a')
    .innerJoin('users as u', 'u.id', 'a.owner')
    .leftJoin('profiles as p', 'p.id', 'u.defaultProfile')
    .where('a.id', '=', id)
    .where('a.disabledAt', 'is', null)
    .select([
      'a.id',
      'a.kind',
      'a.owner',
      'a.secretHash',
      'a.previousSecretHash',
      'a.previousSecretUntil',
      'a.approvedAt',
      'p.state as profileState',
    ])
    .$if(ledger.isTransaction, (query) => query.forShare('a'))
    .executeTakeFirst();
  const presented = hashSecret(secret);
  // Compared with something even when there is nothing, so that time does not tell an unknown id from a wrong secret.
  const matches = timingSafeEqual(presented, application?.secretHash ?? hashSecret(id));
  const matchesPrevious = timingSafeEqual(presented, application?.previousSecretHash ?? hashSecret(id));
  const isPreviousValid = (application?.previousSecretUntil?.getTime() ?? 0) > Date.now();
  if (!application?.secretHash || !(matches || (matchesPrevious && isPreviousValid))) return undefined;
  if (application.approvedAt === null) requireActive(application.kind, application.profileState);
  return { id: application.id, kind: application.kind, owner: application.owner };
}

function requireActive(kind: ApplicationKind, profileState: string | null): void {
  if (kind === 'private' && profileState === 'approved') return;
  const message =
    kind === 'private'
      ? "The credentials become active when the profile of the application's owner is approved."
      : 'The credentials become active when the application is approved as a partner.';
  throw new StopError({ code: 'application_not_active', message });
}
