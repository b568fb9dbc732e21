import type { Ledger } from '../ledger.ts';
import { findProfile } from './profile-sections.ts';
import type { ProfileState } from '../tables/customers.ts';

/** Profiles of every partner, the oldest first, for the operator. */
export async function listAllProfiles(ledger: Ledger, { states, limit }: { states?: ProfileState[] | undefined; limit: number }) {
  let query = ledger
    .selectFrom('profiles')
    .select(['id', 'kind', 'name', 'state', 'application', 'createdAt'])
    .orderBy('createdAt')
    .orderBy('id')
    .limit(limit);
  if (states) query = query.where('state', 'in', states);
  return query.execute();
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
