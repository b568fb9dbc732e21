import { createApplication } from '../../ledger/applications.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { createProfile } from '../../ledger/profiles.ts';
import { createUser, setDefaultProfile } from '../../ledger/users.ts';

/** Fills an empty ledger with what a first request needs: a user, its approved profile and an application that may act on it. */
export async function seedLedger(ledger: Ledger): Promise<{ profile: string; application: { clientId: string; clientSecret: string } }> {
  return ledger.transaction().execute(async (transaction) => {
    const user = await createUser(transaction, { email: 'demo@mintrail.example', name: 'Demo User' });
    const profile = await createProfile(transaction, { kind: 'personal', name: 'Demo User', state: 'approved', owner: user });
    await setDefaultProfile(transaction, user, profile);
    const { id, secret } = await createApplication(transaction, { kind: 'private', name: 'Demo application', owner: user });
    return { profile, application: { clientId: id, clientSecret: secret } };
  });
}

/** The profile of the demo user; undefined in an empty ledger. */
export async function findSeed(ledger: Ledger, clientId: string): Promise<string | undefined> {
  const row = await ledger
    .selectFrom('applications')
    .innerJoin('users', 'users.id', 'applications.owner')
    .where('applications.id', '=', clientId)
    .select('users.default_profile')
    .executeTakeFirst();
  return row?.default_profile ?? undefined;
}
