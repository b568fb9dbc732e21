import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import { createUser, lockUser, setDefaultProfile } from '../access/users.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import type { ProfileKind } from '../../schema/states.ts';
import { createProfile } from './profiles.ts';

/**
 * The default profile of a user, by id. A user without one, such as the owner of an application whom an operator named, gets an empty
 * personal one. Two requests at once create one profile.
 */
export async function ensureOwnProfile(ledger: Ledger, user: string): Promise<string> {
  return inTransaction(ledger, async (tx) => {
    const { name, defaultProfile } = await lockUser(tx, user);
    if (defaultProfile !== null) return defaultProfile;
    const profile = await createProfile(tx, { kind: 'personal', name, state: 'created', owner: user });
    await setDefaultProfile(tx, user, profile);
    return profile;
  });
}

/**
 * Creates the default profile of the user of an email address, in any case, and the user if there is none. Returns its id. Throws
 * `profile_exists` when the user has one.
 */
export async function createOwnProfile(ledger: Ledger, email: string, kind: ProfileKind): Promise<string> {
  return inTransaction(ledger, async (tx) => {
    const known = await tx
      .selectFrom('users')
      .where(sql`lower(email)`, '=', email.toLowerCase())
      .select(['id', 'name', 'defaultProfile'])
      .forUpdate()
      .executeTakeFirst();
    if (known && known.defaultProfile !== null)
      throw new StopError({ code: 'profile_exists', message: `${email} has a profile already: ${known.defaultProfile}` });
    const owner = known?.id ?? (await createUser(tx, { email, name: email }));
    const profile = await createProfile(tx, { kind, name: known?.name ?? email, state: 'created', owner });
    await setDefaultProfile(tx, owner, profile);
    return profile;
  });
}

/** The user to whom a profile belongs; `undefined` for a profile that a partner onboards, and for an unknown id. */
export async function ownerOf(ledger: Ledger, profile: string): Promise<string | undefined> {
  const row = await ledger.selectFrom('profiles').where('id', '=', profile).select('owner').executeTakeFirst();
  return row?.owner ?? undefined;
}
