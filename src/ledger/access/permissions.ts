import { type RawBuilder, sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import type { ApplicationKind } from './applications/application-kinds.ts';
import type { Proof } from './grants.ts';
import type { Ledger } from '../ledger.ts';
import type { Permission } from '../../schema/column-types.ts';

/** Who makes a request: an application, for its user. */
export interface Caller {
  application: string;
  kind: ApplicationKind;
  user: string;
  /** The user's default profile. */
  defaultProfile: string | null;
  /** What the application may do: by its registration, or as the user lets an authorization-code application. */
  permissions: readonly Permission[];
  /** How the user of an authorization-code application proved who they are; absent for the other kinds. */
  authorization?: Proof;
  /** The grant to which the access token belongs. */
  grant: string;
  /** SHA-256 of the access token by which it asks. */
  token: Buffer;
}

/** What a rule compares of a profile. */
export interface ProfileOwnership {
  id: string;
  application: string | null;
  owner: string | null;
}

const everyKind: readonly ApplicationKind[] = ['private', 'whitelabel', 'authorization_code'];

/**
 * Which profiles a caller may act on: those of which one of these rules holds. An application of every kind has the default profile of its
 * user, a whitelabel application the profiles that it onboarded, and one that a user authorized all of that user's.
 * Every access decision about profiles is made from this table, in SQL and in memory.
 */
const rules: readonly {
  kinds: readonly ApplicationKind[];
  caller: 'defaultProfile' | 'application' | 'user';
  profile: keyof ProfileOwnership;
}[] = [
  { kinds: everyKind, caller: 'defaultProfile', profile: 'id' },
  { kinds: ['whitelabel'], caller: 'application', profile: 'application' },
  { kinds: ['authorization_code'], caller: 'user', profile: 'owner' },
];

/** The profiles that a caller may act on, as a subquery of ids under the alias `permitted`. */
export function profilesOf(ledger: Ledger, caller: Caller) {
  return ledger
    .selectFrom('profiles as permitted')
    .select('permitted.id')
    .where((where) => where.or(rulesOf(caller).map(({ profile, value }) => where(`permitted.${profile}`, '=', value))));
}

/**
 * The profiles that {@link profilesOf} names, each once, under the same alias: a query for each rule, so that an index has the profiles of each in the
 * order of their creation, and a page of a long list costs no more than one of a short list.
 */
export function profilesByRule(ledger: Ledger, caller: Caller) {
  return rulesOf(caller).map(({ profile, value }, index, all) =>
    ledger
      .selectFrom('profiles as permitted')
      .where(`permitted.${profile}`, '=', value)
      .where((where) => where.and(all.slice(0, index).map((rule) => where(`permitted.${rule.profile}`, 'is distinct from', rule.value)))),
  );
}

/** What {@link profilesOf} decides, of a profile that is at hand. */
export function mayActOn(caller: Caller, profile: ProfileOwnership): boolean {
  return rulesOf(caller).some((rule) => profile[rule.profile] === rule.value);
}

/**
 * What {@link profilesOf} decides, for many callers in one statement: one condition for each rule, of which one must hold. `callers` and
 * `profiles` are aliases in that statement; the first has the columns `kind`, `application`, `user` and `default_profile`.
 * Conditions instead of one `or`, because only an equation by itself can be answered by an index.
 */
export function permissionConditions(callers: string, profiles: string): RawBuilder<boolean>[] {
  return rules.map(
    ({ kinds, caller, profile }) =>
      sql<boolean>`${sql.ref(`${callers}.${caller}`)} = ${sql.ref(`${profiles}.${profile}`)} and ${sql.ref(`${callers}.kind`)} = any(${kinds}::text[])`,
  );
}

/** The profile that a request acts on: the one it names, else the caller's default. Throws `not_allowed`. */
export async function requireProfile(ledger: Ledger, caller: Caller, named?: string): Promise<string> {
  const profile = named ?? caller.defaultProfile;
  if (profile === null)
    throw notAllowed(
      'This application has no default profile: name one as `profile`, in the query of a GET and in the body of a POST; `GET /profiles` lists those that you may use',
    );
  // The default profile, the usual case, needs no query; nor does a private application, which has no other.
  if (profile === caller.defaultProfile) return profile;
  const permitted =
    caller.kind !== 'private' && (await profilesOf(ledger, caller).where('permitted.id', '=', profile).executeTakeFirst()) !== undefined;
  if (!permitted) throw notAllowed(`The profile ${profile} does not belong to the caller`);
  return profile;
}

function rulesOf(caller: Caller): { profile: keyof ProfileOwnership; value: string }[] {
  return rules.flatMap((rule) => {
    const value = caller[rule.caller];
    return value !== null && rule.kinds.includes(caller.kind) ? [{ profile: rule.profile, value }] : [];
  });
}

function notAllowed(message: string): StopError {
  return new StopError({ code: 'not_allowed', message });
}
