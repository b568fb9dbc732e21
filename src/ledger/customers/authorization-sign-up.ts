import { randomUUID } from 'node:crypto';
import { inTransaction, type Ledger } from '../ledger.ts';
import { hashPassword, setPassword } from '../access/passwords.ts';
import { createProfile } from './profiles.ts';
import { setDefaultProfile } from '../access/users.ts';

/** What a new user enters. The password is kept as a hash only. */
export interface SignUp {
  email: string;
  name: string;
  password: string;
}

/** A new user with a password and an empty personal profile; `undefined` when the email address is taken, in any case. */
export async function signUp(ledger: Ledger, { email, name, password }: SignUp): Promise<string | undefined> {
  const hash = await hashPassword(password);
  return inTransaction(ledger, async (tx) => {
    const created = await tx
      .insertInto('users')
      .values({ id: randomUUID(), email, name, defaultProfile: null })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!created) return undefined;
    await setPassword(tx, created.id, hash);
    const profile = await createProfile(tx, { kind: 'personal', name, state: 'created', owner: created.id });
    await setDefaultProfile(tx, created.id, profile);
    return created.id;
  });
}
