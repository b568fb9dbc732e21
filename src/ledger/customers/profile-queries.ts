import { sql } from 'kysely';
import type { Ledger } from '../ledger.ts';
import { firstRows } from '../page.ts';
import { findProfile } from './profile-sections.ts';
import type { ProfileState } from '../../schema/states.ts';

/** Which profiles are listed, and how many at most. */
export interface ProfileListFilter {
  states?: readonly ProfileState[] | undefined;
  /** Only profiles after this one in the list. */
  after?: string | undefined;
  limit: number;
}

const allStates = ['created', 'incomplete', 'pending', 'approved', 'rejected'] as const satisfies readonly ProfileState[];

/** Profiles of every partner, the oldest first, for the operator. */
export async function listAllProfiles(ledger: Ledger, { states = allStates, after, limit }: ProfileListFilter) {
  let matching = ledger.selectFrom('profiles').select(['id', 'kind', 'name', 'state', 'application', 'createdAt']);
  if (after !== undefined)
    matching = matching.where(sql<boolean>`(created_at, id) > (select a.created_at, a.id from profiles a where a.id = ${after})`);
  // A query for each state, so that each reads no more rows of its index than are listed.
  const [first = matching, ...others] = [...new Set(states)].map((state) => matching.where('state', '=', state));
  const sort = { at: 'createdAt', cursor: 'id', direction: 'asc' } as const;
  return firstRows(ledger, { matching: [first, ...others], sort }, limit).execute();
}

/** Everything that was submitted for a profile, and its reviews; `undefined` when there is no such profile. Personal data, for the operator alone. */
export async function showProfile(ledger: Ledger, id: string) {
  const profile = await findProfile(ledger, id);
  if (!profile) return undefined;
  const sections = await ledger
    .selectFrom('profileSections')
    .where('profile', '=', id)
    .orderBy('section')
    .select(['section', 'state', 'data', 'updatedAt'])
    .execute();
  const verifications = await ledger
    .selectFrom('profileVerifications')
    .where('profile', '=', id)
    .orderBy('kind')
    .orderBy('person')
    .select(['kind', 'person as personId', 'state', 'documents', 'updatedAt'])
    .execute();
  const reviews = await ledger
    .selectFrom('profileReviews')
    .where('profile', '=', id)
    .orderBy('id')
    .select(['decision', 'reason', 'errors', 'decidedBy', 'decidedAt'])
    .execute();
  const { kind, name, state } = profile;
  return { id, kind, name, state, sections, verifications, reviews };
}
