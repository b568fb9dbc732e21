import { createApplication } from '../../ledger/access/applications.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { createProfile } from '../../ledger/customers/profiles.ts';
import { createUser, setDefaultProfile } from '../../ledger/access/users.ts';

/** What an application proves itself with. */
export interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** Fills an empty ledger with what a first request needs: a user, its approved profile, an application that may act on it, and a partner's. */
export async function seedLedger(ledger: Ledger): Promise<{ profile: string; application: Credentials; partner: Credentials }> {
  return ledger.transaction().execute(async (transaction) => {
    const user = await createUser(transaction, { email: 'demo@mintrail.example', name: 'Demo User' });
    const profile = await createProfile(transaction, { kind: 'personal', name: 'Demo User', state: 'approved', owner: user });
    await setDefaultProfile(transaction, user, profile);
    const application = await createApplication(transaction, { kind: 'private', name: 'Demo application', owner: user });
    const manager = await createUser(transaction, { email: 'partner@mintrail.example', name: 'Demo Partner' });
    const partner = await createApplication(transaction, { kind: 'whitelabel', name: 'Demo partner', owner: manager });
    return { profile, application: credentials(application), partner: credentials(partner) };
  });
}

const makerEmail = 'maker@mintrail.example';

/** Adds the maker of swaps: an approved profile, and an application that may act on it. One that is there already gets new credentials. */
export async function seedMaker(ledger: Ledger): Promise<Credentials> {
  return ledger.transaction().execute(async (transaction) => {
    const known = await transaction.selectFrom('users').where('email', '=', makerEmail).select('id').executeTakeFirst();
    const user = known?.id ?? (await createUser(transaction, { email: makerEmail, name: 'Market Maker' }));
    if (!known) {
      const profile = await createProfile(transaction, { kind: 'corporate', name: 'Market Maker', state: 'approved', owner: user });
      await setDefaultProfile(transaction, user, profile);
    }
    return credentials(await createApplication(transaction, { kind: 'private', name: 'Market maker', owner: user }));
  });
}

function credentials({ id, secret }: { id: string; secret: string }): Credentials {
  return { clientId: id, clientSecret: secret };
}

/** The profile of the demo user; undefined in an empty ledger. */
export async function findSeed(ledger: Ledger, clientId: string): Promise<string | undefined> {
  const row = await ledger
    .selectFrom('applications')
    .innerJoin('users', 'users.id', 'applications.owner')
    .where('applications.id', '=', clientId)
    .select('users.defaultProfile')
    .executeTakeFirst();
  return row?.defaultProfile ?? undefined;
}
