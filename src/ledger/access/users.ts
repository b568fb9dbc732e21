import { randomUUID } from 'node:crypto';
import type { Ledger } from '../ledger.ts';

/** A user to be created. */
export interface NewUser {
  email: string;
  /** User name or alias. */
  name: string;
}

/** A user; `defaultProfile` is the id of the profile that applies when a request names none. */
export interface User {
  id: string;
  email: string;
  name: string;
  defaultProfile: string | null;
}

/** Creates a user, who owns applications and profiles. Returns the id. */
export async function createUser(ledger: Ledger, { email, name }: NewUser): Promise<string> {
  const id = randomUUID();
  await ledger.insertInto('users').values({ id, email, name, defaultProfile: null }).execute();
  return id;
}

/** Sets the profile that applies when a request names none (docs/api.md, Default profile). */
export async function setDefaultProfile(ledger: Ledger, user: string, profile: string): Promise<void> {
  await ledger.updateTable('users').set({ defaultProfile: profile }).where('id', '=', user).execute();
}

/** A user by id. */
export async function findUser(ledger: Ledger, id: string): Promise<User | undefined> {
  return ledger.selectFrom('users').where('id', '=', id).select(['id', 'email', 'name', 'defaultProfile']).executeTakeFirst();
}

/** A user by e-mail address. */
export async function findUserByEmail(ledger: Ledger, email: string): Promise<User | undefined> {
  return ledger.selectFrom('users').where('email', '=', email).select(['id', 'email', 'name', 'defaultProfile']).executeTakeFirst();
}

/** The default profile of the user who owns an application; undefined when there is none. */
export async function defaultProfileOfOwner(ledger: Ledger, application: string): Promise<string | undefined> {
  const owner = await ledger
    .selectFrom('applications as a')
    .innerJoin('users as u', 'u.id', 'a.owner')
    .where('a.id', '=', application)
    .select('u.defaultProfile')
    .executeTakeFirst();
  return owner?.defaultProfile ?? undefined;
}
