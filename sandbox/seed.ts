import { createApplication } from '../src/ledger/access/applications/create-application.ts';
import { inTransaction, type Ledger } from '../src/ledger/ledger.ts';
import { createProfile } from '../src/ledger/customers/profiles.ts';
import { createUser, findUserByEmail, setDefaultProfile } from '../src/ledger/access/users.ts';

/** With these an application authenticates itself. */
export interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** Pages of development servers: the sandbox's own applications may be called from any of them (docs/sandbox.md). */
const origins = ['http://localhost:*', 'http://127.0.0.1:*'];

/** Fills an empty ledger with what a first request needs: a user with an approved profile and an application, and a partner with another. */
export async function seedLedger(ledger: Ledger): Promise<{ profile: string; application: Credentials; partner: Credentials }> {
  return inTransaction(ledger, async (transaction) => {
    const user = await createUser(transaction, { email: 'demo@mintrail.example', name: 'Demo User', isVerified: true });
    const profile = await createProfile(transaction, { kind: 'personal', name: 'Demo User', state: 'approved', owner: user });
    await setDefaultProfile(transaction, user, profile);
    const application = await createApplication(transaction, { kind: 'private', name: 'Demo application', owner: user, origins });
    const manager = await createUser(transaction, { email: 'partner@mintrail.example', name: 'Demo Partner', isVerified: true });
    const partner = await createApplication(transaction, { kind: 'whitelabel', name: 'Demo partner', owner: manager, origins });
    return { profile, application: credentials(application), partner: credentials(partner) };
  });
}

const makerEmail = 'maker@mintrail.example';

/** Adds the maker of swaps, with an approved profile and an application. A maker that exists gets a new application. */
export async function seedMaker(ledger: Ledger): Promise<Credentials> {
  return inTransaction(ledger, async (transaction) => {
    const known = await findUserByEmail(transaction, makerEmail);
    const user = known?.id ?? (await createUser(transaction, { email: makerEmail, name: 'Market Maker', isVerified: true }));
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
