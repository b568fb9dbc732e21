import { randomUUID } from 'node:crypto';
import { StopError } from '../../platform/errors.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import { requireWithinQuota } from '../quotas.ts';
import { type Listed, mapPage, type Page, type PageRequest, readPage, type Sort } from '../page.ts';
import { type Caller, profilesByRule, profilesOf } from '../access/permissions.ts';
import { openSections } from './profile-sections.ts';
import type { ProfileKind, ProfileState } from '../../schema/states.ts';

/** A profile to be created. */
export interface NewProfile {
  /** An id that the partner chose (docs/api.md, Profiles). */
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

/** Creates a profile and its sections. Returns its id. Throws `profile_exists` when any profile has that id, and `quota_exceeded`. */
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
    if (application !== undefined) await requireWithinQuota(tx, 'profiles', application);
    await openSections(tx, { id, kind, state });
    return id;
  });
}

/** Throws `profile_not_approved` unless the profile is approved. `may` completes the text: `Only an approved profile gets an IBAN`. */
export async function requireApproved(ledger: Ledger, profile: string, may: string): Promise<void> {
  const { state } = await ledger.selectFrom('profiles').where('id', '=', profile).select('state').executeTakeFirstOrThrow();
  if (state === 'approved') return;
  const message = `Only an approved profile ${may}: the profile ${profile} is ${state}`;
  throw new StopError({ code: 'profile_not_approved', message });
}

/** Which profiles are listed; without a filter, all. */
export interface ProfileFilter {
  states?: ProfileState[] | undefined;
  kinds?: ProfileKind[] | undefined;
}

const oldestFirst: Sort = {
  at: 'permitted.createdAt',
  cursor: 'permitted.id',
  direction: 'asc',
  cursorMeaning: 'a profile of the caller',
};

/** Summaries of the profiles the caller may act on, oldest first. The cursor is a profile's id. Throws `unknown_cursor`. */
export async function listProfiles(
  ledger: Ledger,
  caller: Caller,
  { states, kinds }: ProfileFilter = {},
  page: PageRequest = {},
): Promise<Page<ProfileSummary>> {
  const known = profilesOf(ledger, caller);
  const summaries = (profiles: ReturnType<typeof profilesByRule>[number]) => {
    let query = profiles.select(['permitted.id', 'permitted.kind', 'permitted.name', 'permitted.state', 'permitted.createdAt']);
    if (states) query = query.where('permitted.state', 'in', states);
    if (kinds) query = query.where('permitted.kind', 'in', kinds);
    return query;
  };
  // A caller without a rule has no profile.
  const [first = known.clearSelect(), ...others] = profilesByRule(ledger, caller);
  const listed = { matching: [summaries(first), ...others.map(summaries)], known, sort: oldestFirst } satisfies Listed<ProfileSummary>;
  return mapPage(await readPage<ProfileSummary>(ledger, listed, page), ({ id, kind, name, state }) => ({ id, kind, name, state }));
}
