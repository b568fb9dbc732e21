import { sql } from 'kysely';
import type { Ledger } from '../ledger.ts';
import { limitHiddenFromPlanner } from '../hidden-from-planner.ts';
import { mostCounted } from '../most-counted.ts';
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

/** Profiles that wait for a review. */
export interface ProfilesInReview {
  /** At most {@link mostCounted} and one more. */
  count: number;
  /** The profile that waits longest, and since when: since the newest of what was submitted for it. */
  oldest: string;
  since: Date;
}

/** What waits for a review; undefined when nothing does. */
export async function countProfilesInReview(ledger: Ledger): Promise<ProfilesInReview | undefined> {
  const { rows } = await sql<ProfilesInReview>`
    with waiting as materialized (
      select id from profiles where state = 'pending' order by created_at, id limit ${limitHiddenFromPlanner(mostCounted.overdue + 1)}
    )
    select w.id as oldest, s.since, (select count(*)::int from waiting) as count
    from waiting w
    cross join lateral (
      select max(updated_at) as since from (
        select updated_at from profile_sections where profile = w.id
        union all select updated_at from profile_verifications where profile = w.id) u) s
    order by s.since, w.id limit 1
  `.execute(ledger);
  return rows[0];
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
