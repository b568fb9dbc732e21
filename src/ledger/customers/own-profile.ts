import { inTransaction, type Ledger } from '../ledger.ts';
import type { ProfileKind } from '../tables.ts';
import { createProfile } from './profiles.ts';
import { setDefaultProfile } from '../access/users.ts';

/**
 * The default profile of a user, by id. A user without one, such as the owner of an application whom an operator named, gets an empty profile
 * of `kind`. Two requests at once create one profile.
 */
export async function ensureOwnProfile(ledger: Ledger, user: string, kind: ProfileKind = 'personal'): Promise<string> {
  return inTransaction(ledger, async (tx) => {
    const { name, defaultProfile } = await tx
      .selectFrom('users')
      .where('id', '=', user)
      .select(['name', 'defaultProfile'])
      .forUpdate()
      .executeTakeFirstOrThrow();
    if (defaultProfile !== null) return defaultProfile;
    const profile = await createProfile(tx, { kind, name, state: 'created', owner: user });
    await setDefaultProfile(tx, user, profile);
    return profile;
  });
}
