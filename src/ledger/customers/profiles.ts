import { randomUUID } from 'node:crypto';
import { StopError } from '../../platform/errors.ts';
import type { Caller } from '../access/access-tokens.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import { type PageRequest, readPage, type Sort } from '../page.ts';
import { openSections } from './profile-sections.ts';
import type { ProfileKind, ProfileState } from '../tables.ts';

export interface NewProfile {
  /** Of the partner's own choice (docs/api.md, Profiles). */
  id?: string | undefined;
  kind: ProfileKind;
  name: string;
  state: ProfileState;
  /** The user it belongs to; absent for a customer that a partner onboards. */
  owner?: string;
  /** The whitelabel application that onboards it. */
  application?: string;
}

/** Name, kind and state of a profile (docs/api.md, Profile). */
export interface ProfileSummary {
  id: string;
  kind: ProfileKind;
  name: string;
  state: ProfileState;
}

/** Creates a profile and its sections. Returns its id. Throws `profile_exists` when that is taken, by whomever. */
export async function createProfile(
  ledger: Ledger,
  { id = randomUUID(), kind, name, state, owner, application }: NewProfile,
): Promise<string> {
  return inTransaction(ledger, async (tx) => {
    const created = await tx
      .insertInto('profiles')
      .values({ id, kind, name, state, owner: owner ?? null, application: application ?? null })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!created) throw new StopError({ code: 'profile_exists', message: 'Profile already exists' });
    await openSections(tx, { id, kind, state });
    return id;
  });
}

/**
 * The profiles a caller may act on, as a subquery of ids: the default profile of its user, for a whitelabel
 * application those that it onboarded, and for one that a user authorized all of that user's. Every access decision of the ledger goes through here.
 */
export function profilesOf(ledger: Ledger, caller: Caller) {
  return ledger
    .selectFrom('profiles as permitted')
    .select('permitted.id')
    .where((where) =>
      where.or([
        ...(caller.defaultProfile === null ? [] : [where('permitted.id', '=', caller.defaultProfile)]),
        ...(caller.kind === 'whitelabel' ? [where('permitted.application', '=', caller.application)] : []),
        ...(caller.kind === 'authorization_code' ? [where('permitted.owner', '=', caller.user)] : []),
      ]),
    );
}

/** What {@link profilesOf} decides, of a profile that is at hand. */
export function mayActOn(caller: Caller, profile: { id: string; application: string | null; owner: string | null }): boolean {
  return (
    profile.id === caller.defaultProfile ||
    (caller.kind === 'whitelabel' && profile.application === caller.application) ||
    (caller.kind === 'authorization_code' && profile.owner === caller.user)
  );
}

/** The profile that a request acts on: the one it names, else the caller's default. Throws `not_allowed`. */
export async function requireProfile(ledger: Ledger, caller: Caller, named?: string): Promise<string> {
  const profile = named ?? caller.defaultProfile;
  if (profile === null) throw notAllowed('This application has no default profile: name the profile');
  if (profile === caller.defaultProfile) return profile;
  const found = caller.kind !== 'private' && (await profilesOf(ledger, caller).where('permitted.id', '=', profile).executeTakeFirst());
  if (!found) throw notAllowed(`The profile ${profile} does not belong to the caller`);
  return profile;
}

/** Throws `profile_not_approved` unless the profile is approved; `may` says what only then is allowed, such as `gets an IBAN`. */
export async function requireApproved(ledger: Ledger, profile: string, may: string): Promise<void> {
  const { state } = await ledger.selectFrom('profiles').where('id', '=', profile).select('state').executeTakeFirstOrThrow();
  if (state === 'approved') return;
  const message = `Only an approved profile ${may}: the profile ${profile} is ${state}`;
  throw new StopError({ code: 'profile_not_approved', message });
}

export interface ProfileFilter {
  states?: ProfileState[] | undefined;
  kinds?: ProfileKind[] | undefined;
}

const oldestFirst: Sort = {
  at: 'permitted.createdAt',
  cursor: 'permitted.id',
  direction: 'asc',
  names: 'a profile of the caller',
};

/** Summaries of the profiles the caller may act on, oldest first. The cursor is a profile's id. Throws `unknown_cursor`. */
export async function listProfiles(
  ledger: Ledger,
  caller: Caller,
  { states, kinds }: ProfileFilter = {},
  page: PageRequest = {},
): Promise<{ rows: ProfileSummary[]; total: number }> {
  let query = profilesOf(ledger, caller).clearSelect().select(['permitted.id', 'permitted.kind', 'permitted.name', 'permitted.state']);
  if (states) query = query.where('permitted.state', 'in', states);
  if (kinds) query = query.where('permitted.kind', 'in', kinds);
  return readPage<ProfileSummary>(query, profilesOf(ledger, caller), oldestFirst, page);
}

function notAllowed(message: string): StopError {
  return new StopError({ code: 'not_allowed', message });
}
