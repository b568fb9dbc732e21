import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Ledger, LedgerTransaction } from '../ledger.ts';

/** A user to be created. */
export interface NewUser {
  email: string;
  /** User name or alias. */
  name: string;
  /** Whether the operator vouches for the address, as the sandbox does for its own. By default the user proves it by a code. */
  isVerified?: boolean;
}

/** A user; `defaultProfile` is the id of the profile that applies when a request names none. */
export interface User {
  id: string;
  email: string;
  name: string;
  defaultProfile: string | null;
  /** When the user proved to receive mail at the address; null before. */
  emailVerifiedAt: Date | null;
}

/** Creates a user, who owns applications and profiles. Returns the id. */
export async function createUser(ledger: Ledger, { email, name, isVerified = false }: NewUser): Promise<string> {
  const id = randomUUID();
  const emailVerifiedAt = isVerified ? sql<Date>`now()` : null;
  await ledger.insertInto('users').values({ id, email, name, defaultProfile: null, emailVerifiedAt }).execute();
  return id;
}

/** Sets the profile that applies when a request names none (docs/api.md, Default profile). */
export async function setDefaultProfile(ledger: Ledger, user: string, profile: string): Promise<void> {
  await ledger.updateTable('users').set({ defaultProfile: profile }).where('id', '=', user).execute();
}

/** A user by id. */
export async function findUser(ledger: Ledger, id: string): Promise<User | undefined> {
  return ledger.selectFrom('users').where('id', '=', id).select(columns).executeTakeFirst();
}

/** A user by e-mail address, in any case. */
export async function findUserByEmail(ledger: Ledger, email: string): Promise<User | undefined> {
  return ledger
    .selectFrom('users')
    .where(sql<string>`lower(email)`, '=', sql<string>`lower(${email})`)
    .select(columns)
    .executeTakeFirst();
}

/**
 * Locks a user until the transaction ends: changes of what the user signs in with, and of what follows from it, come one after the other.
 * Whoever locks other rows of the user as well locks the user first. Throws when there is no such user.
 */
export async function lockUser(tx: LedgerTransaction, id: string): Promise<User> {
  // Not `for update`: rows that refer to the user, such as sessions, are still added meanwhile, and those who add them never wait here.
  return tx.selectFrom('users').where('id', '=', id).select(columns).forNoKeyUpdate().executeTakeFirstOrThrow();
}

const columns = ['id', 'email', 'name', 'defaultProfile', 'emailVerifiedAt'] as const;

/** Users for an operator, the newest first. `text` is a part of the address or of the name. */
export async function listUsers(ledger: Ledger, { text, limit }: { text?: string | undefined; limit: number }) {
  let query = ledger
    .selectFrom('users as u')
    .select(['u.id', 'u.email', 'u.name', 'u.createdAt', 'u.emailVerifiedAt', 'u.defaultProfile'])
    .orderBy('u.createdAt', 'desc')
    .orderBy('u.id')
    .limit(limit);
  if (text !== undefined)
    query = query.where(sql<boolean>`position(lower(${text}) in lower(u.email)) > 0 or position(lower(${text}) in lower(u.name)) > 0`);
  return query.execute();
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
